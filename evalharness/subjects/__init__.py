"""Who is asked: our agent, models at an endpoint, and the baselines that show what a score is worth."""
