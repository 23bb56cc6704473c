"""The wheel must ship every package that exists on disk."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SETUPTOOLS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]


def test_every_package_on_disk_is_listed() -> None:
    mapped = {name: ROOT / path for name, path in SETUPTOOLS["package-dir"].items() if "." in name}
    on_disk = {
        ".".join([name, *init.parent.relative_to(folder).parts])
        for name, folder in mapped.items()
        for init in folder.rglob("__init__.py")
    }
    own = ROOT / "src" / "longtake"
    application = {
        ".".join(["longtake", *init.parent.relative_to(own).parts])
        for folder in own.iterdir()
        if folder.is_dir() and not folder.is_symlink() and folder.name != "bench"
        for init in folder.rglob("__init__.py")
    }
    assert on_disk | application | {"longtake"} == set(SETUPTOOLS["packages"])


def test_every_file_beside_the_code_is_shipped() -> None:
    kinds = SETUPTOOLS["package-data"]["*"]
    packages = [ROOT / path for name, path in SETUPTOOLS["package-dir"].items()]
    left = [
        str(file.relative_to(ROOT))
        for init in (init for folder in packages for init in folder.rglob("__init__.py"))
        for file in init.parent.iterdir()
        if file.is_file() and file.suffix not in (".py", ".pyc") and not any(file.match(kind) for kind in kinds)
    ]
    assert left == []


def test_every_mapped_folder_has_its_link() -> None:
    for name, path in SETUPTOOLS["package-dir"].items():
        if "." in name:
            link = ROOT / "src" / Path(*name.split("."))
            if not link.is_symlink():
                pytest.skip("this checkout has no symbolic links; only type checking needs them")
            assert link.resolve() == ROOT / path, f"{link} must link to {path}"
