"""The subjects: our agent, models at an endpoint, and baselines that put scores into perspective."""
