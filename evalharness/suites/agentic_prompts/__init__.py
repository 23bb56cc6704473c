"""The prompts of the simulated mode of the agentic track, in our wording."""
