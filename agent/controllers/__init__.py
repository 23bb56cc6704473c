"""Chat models that can plan, chosen in the profile."""
