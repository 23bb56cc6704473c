"""Chat models that plan; the profile chooses one."""
