"""What HTML pages are made of: templates, in which text is escaped and a missing value is an error, and data URLs."""

from __future__ import annotations

from base64 import b64encode

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


def data_url(kind: str, content: bytes) -> str:
    """A file of a media type, such as `image/jpeg`, as an address that contains it."""
    return f"data:{kind};base64,{b64encode(content).decode()}"
