"""Reads traces: lists, shows, measures, compares, replays, forks and exports runs."""
