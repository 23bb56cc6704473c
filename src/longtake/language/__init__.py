"""Text and amounts in one spelling, for whoever compares them: search, the agent, the evaluation."""
