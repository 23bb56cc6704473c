"""Evidence before anybody speaks: what lies in the named scope, and what search finds in the likely sources."""
