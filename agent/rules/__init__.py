"""The embedded controller: what to look at next, and what the evidence answers, by rules."""
