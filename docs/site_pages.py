"""Puts files from outside `docs/` on the site: the pages at the repository's root, the licence and the icon.

On the site, all pages are in one folder. A link from the root into `docs/`, or from `docs/` up to the root, loses that
part, so the same link works on a code host and on the site. The site has no source files: a link to one becomes text.
"""

from __future__ import annotations

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parent.parent
ADDED = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "LICENSE", "src/longtake/web/page/icon.svg")
LINK = re.compile(r"\[(?P<text>[^\]]+)\]\((?P<target>[^)#:\s]+)(?P<anchor>#[^)]*)?\)")


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add the files, each at the root of the site."""
    for path in map(Path, ADDED):
        files.append(File.generated(config, path.name, abs_src_path=str(ROOT / path)))
    return files


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Shorten links between the root and `docs/`; pages in folders below link only among themselves."""
    if "/" in page.file.src_uri:
        return markdown
    at_root = page.file.src_uri in ADDED

    def on_site(link: re.Match[str]) -> str:
        target = link["target"].removeprefix("docs/" if at_root else "../")
        if files.get_file_from_path(target) is None and (ROOT / ("." if at_root else "docs") / link["target"]).exists():
            return link["text"]
        return f"[{link['text']}]({target}{link['anchor'] or ''})"

    return LINK.sub(on_site, markdown)
