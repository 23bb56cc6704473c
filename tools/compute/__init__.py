"""Tools that compute."""
