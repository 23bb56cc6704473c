"""The `longtake` command: one file per command, each imported when it is called."""
