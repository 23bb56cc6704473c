"""Frame measurements without a model: changes, shots, motion, moments."""
