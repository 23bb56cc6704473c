"""What a model is told in the simulated mode of the agentic track, in words of our own."""
