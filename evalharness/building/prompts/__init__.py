"""What the models of a build are told; files with Jinja."""
