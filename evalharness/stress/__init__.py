"""Stress tests: what a subject does when a video is changed in a known way; see `docs/perturbations.md`."""
