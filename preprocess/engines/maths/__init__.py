"""The engine that reads formulas."""
