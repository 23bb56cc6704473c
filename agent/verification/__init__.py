"""Whether evidence supports what is claimed, and how the answer is published."""
