"""The package ships everything that is beside its code, and is found wherever a script is."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SETUPTOOLS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
FOLDERS = ("agent", "configs", "evalharness", "memory", "preprocess", "tools")


def test_every_file_beside_the_code_is_shipped() -> None:
    kinds = SETUPTOOLS["package-data"]["*"]
    left = [
        str(file.relative_to(ROOT))
        for folder in (*FOLDERS, "src/longtake")
        for init in (ROOT / folder).rglob("__init__.py")
        for file in init.parent.iterdir()
        if file.is_file() and file.suffix not in (".py", ".pyc") and not any(file.match(kind) for kind in kinds)
    ]
    assert left == []


def test_every_folder_with_code_is_a_package() -> None:
    folders = {file.parent for name in FOLDERS for file in (ROOT / name).rglob("*.py")}
    assert [str(folder) for folder in folders if not (folder / "__init__.py").is_file()] == []
    for name in FOLDERS:
        assert (ROOT / "src" / "longtake" / name).resolve() == ROOT / name


def test_a_script_beside_the_clone_imports_the_package(tmp_path: Path) -> None:
    (tmp_path / "longtake").mkdir()  # as the folder of a clone is called
    script = tmp_path / "script.py"
    script.write_text("import longtake; print(longtake.Library.__name__)")
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    assert done.stdout == "Library\n", done.stderr
