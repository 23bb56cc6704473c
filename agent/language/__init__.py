"""Represents English statements, amounts and table rows as data."""
