"""Entry point for `python -m longtake`."""

from longtake.cli.main import main

if __name__ == "__main__":
    main()
