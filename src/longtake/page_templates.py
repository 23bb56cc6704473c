"""Templates of HTML pages: what is filled in is escaped, and a missing value is an error."""

from __future__ import annotations

from jinja2 import Environment, PackageLoader, StrictUndefined


def templates(package: str, folder: str = ".") -> Environment:
    """The templates in a folder of a package; add to its `globals` what they call."""
    return Environment(
        loader=PackageLoader(package, folder),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
