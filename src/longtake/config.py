"""Reads the settings from a profile, a user's file and `--set`, in that order.

This is the only module that reads the environment.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from difflib import get_close_matches
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from longtake.errors import ConfigError, did_you_mean
from longtake.settings import Settings

PROFILES = ("embedded", "standard", "longshot")


def load(
    profile: str | None = "embedded",
    overrides: Iterable[str] = (),
    *,
    offline: bool = False,
    user: Path | None = None,
) -> Settings:
    """Read a profile and apply `key=value` overrides to it.

    Args:
        profile: name of a packaged profile, or path of a YAML file (its `profile:` names the profile it builds on);
            None for the user's file, or else `embedded`.
        overrides: dotted `key=value` strings; the value is read as YAML.
        offline: forbid every outgoing connection.
        user: the user's file, which a given profile is laid over.

    Raises:
        ConfigError: with every problem found, each with its key.
    """
    kept = user if user and user.is_file() else None
    tree, origin = _read_profile(str(kept or "embedded") if profile is None else profile)
    if profile and kept:
        beneath = _parse_yaml(_read_text(kept), str(kept))
        beneath.pop("profile", None)
        tree, origin = _merge(beneath, tree), f"{origin}, {kept}"
    if database := secret("LONGTAKE_DATABASE"):
        tree = _merge({"library": {"database": database}}, tree)
    for override in overrides:
        tree = _merge(tree, _parse_override(override))
    if offline:
        tree = _merge(tree, {"offline": True})
    try:
        return Settings.model_validate(tree)
    except ValidationError as error:
        problems = "; ".join(_problem(item) for item in error.errors())
        raise ConfigError(f"Invalid settings in {origin} or --set: {problems}.") from error


def default_library() -> Path:
    """Folder of the library when `--library` is not given."""
    from platformdirs import user_data_path

    configured = os.environ.get("LONGTAKE_LIBRARY")
    return Path(configured).expanduser() if configured else user_data_path("longtake")


def models_folder() -> Path:
    """Folder of fetched models: beside the default library, unless LONGTAKE_MODELS names another."""
    from platformdirs import user_data_path

    configured = os.environ.get("LONGTAKE_MODELS")
    return Path(configured).expanduser() if configured else user_data_path("longtake-models")


def user_file() -> Path:
    """The user's settings, written by `longtake setup`, read by every command; LONGTAKE_CONFIG names another file."""
    from platformdirs import user_config_path

    configured = os.environ.get("LONGTAKE_CONFIG")
    return Path(configured).expanduser() if configured else user_config_path("longtake") / "config.yaml"


def write_user_file(changes: dict[str, Any]) -> Path:
    """Lay settings over those in the user's file, and return the file; its comments are lost.

    Raises:
        ConfigError: if the settings are invalid, or the file can't be written; then it stays as it was.
    """
    path = user_file()
    tree = _merge(_parse_yaml(_read_text(path), str(path)) if path.is_file() else {}, changes)
    try:
        Settings.model_validate({key: value for key, value in tree.items() if key != "profile"})
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_name(f"{path.name}.new")
        unfinished.write_text(yaml.safe_dump(tree, sort_keys=False, allow_unicode=True), encoding="utf-8")
        unfinished.replace(path)
    except ValidationError as error:
        problems = "; ".join(_problem(item) for item in error.errors())
        raise ConfigError(f"Invalid settings for {path}: {problems}.") from error
    except OSError as error:
        raise ConfigError(f"{path} can't be written: {error.strerror}; LONGTAKE_CONFIG names another file.") from error
    return path


def hub_endpoint() -> str | None:
    """URL of the model hub if HF_ENDPOINT names another than the public one."""
    return os.environ.get("HF_ENDPOINT") or None


def npm_registry() -> str | None:
    """URL of the npm registry if npm's own variable names one."""
    return os.environ.get("npm_config_registry") or None  # noqa: SIM112 - as npm spells it


def secret(name: str) -> str | None:
    """Value of an environment variable that holds a key; never logged, never stored."""
    return os.environ.get(name) or None


def unset(name: str) -> str:
    """The clause for an unset variable; a name not in capitals may itself be a key, so it isn't repeated."""
    return f"{name} is not set" if re.fullmatch(r"[A-Z]+(?:_[A-Z0-9]+)*", name) else "no such variable is set"


def _read_profile(profile: str) -> tuple[dict[str, Any], str]:
    if profile in PROFILES:
        resource = files("longtake.configs") / f"{profile}.yaml"
        return _parse_yaml(resource.read_text(encoding="utf-8"), f"profile {profile!r}"), f"profile {profile!r}"
    path = Path(profile)
    if not path.is_file():
        raise ConfigError(f"No profile or file named {profile!r}. {did_you_mean(profile, PROFILES)}")
    tree = _parse_yaml(_read_text(path), str(path))
    base = tree.pop("profile", "embedded")
    if base not in PROFILES:
        raise ConfigError(f"{path}: `profile: {base}` is not one of {', '.join(PROFILES)}.")
    return _merge(_read_profile(base)[0], tree), str(path)


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} isn't a UTF-8 text file; give a profile name or a YAML file.") from error
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}.") from error


def parse_yaml(text: str) -> Any:
    """The value that a YAML text holds.

    Raises:
        ValueError: if it isn't YAML, with the line and what is wrong there, or is nested deeper than Python can read.
    """
    try:
        return yaml.safe_load(text)
    except RecursionError as error:
        raise ValueError("it is nested too deep") from error
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise ValueError(f"line {line}: the character #{ord(text[error.position]):x} isn't allowed") from error
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        problem = (error.problem or "").replace("'<stream end>'", "the end")
        raise ValueError(f"line {line}: {problem.replace('<block end>', 'the end of the block')}") from error


def _parse_yaml(text: str, origin: str) -> dict[str, Any]:
    try:
        tree = parse_yaml(text)
    except ValueError as error:
        raise ConfigError(f"{origin} is not valid YAML: {error}. Correct it.") from error
    if tree is None:
        return {}
    if not isinstance(tree, dict):
        raise ConfigError(f"{origin} must contain `key: value` lines.")
    return tree


def _parse_override(override: str) -> dict[str, Any]:
    dotted, sign, text = override.partition("=")
    if not sign or not dotted:
        raise ConfigError(f"--set needs key=value, got {override!r}. Example: --set budget.rounds=4")
    try:
        nested: Any = parse_yaml(text)
    except ValueError as error:
        raise ConfigError(f"--set {dotted}: {text!r} is not a valid value.") from error
    for key in reversed(dotted.split(".")):
        nested = {key: nested}
    return dict(nested)


def _problem(item: Any) -> str:
    location = item["loc"]
    text = f"{'.'.join(map(str, location))}: {item['msg'].removeprefix('Value error, ')}"
    if item["type"] == "extra_forbidden":
        section: Any = Settings
        for part in location[:-1]:
            section = section.model_fields[part].annotation
        close = get_close_matches(str(location[-1]), section.model_fields, n=1)
        text = f"{'.'.join(map(str, location))} is not a setting" + (f" (did you mean {close[0]!r}?)" if close else "")
    return text


def _merge(base: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    merged = dict(base)
    for key, value in over.items():
        old = merged.get(key)
        merged[key] = _merge(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return merged
