"""The agentic track of LongShOT."""
