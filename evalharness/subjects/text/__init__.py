"""Subjects that only read: they choose the option that fits best what a view shows in words."""
