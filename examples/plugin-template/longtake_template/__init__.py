"""Parts for Longtake, one of each kind."""
