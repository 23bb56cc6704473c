"""Pictures and texts in one space."""
