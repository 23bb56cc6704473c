"""Edits: new videos with exact truth, made from existing ones; see `docs/perturbations.md`."""
