"""The demo video: a short fictional talk generated from a script, with complete ground truth."""
