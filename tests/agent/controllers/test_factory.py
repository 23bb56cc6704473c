"""A controller whose packages are not installed is an error that names the extra, never another controller."""

from __future__ import annotations

from importlib.util import find_spec

import pytest
from helpers.asking import plans_by

from longtake.config import load
from longtake.errors import ConfigError


@pytest.mark.parametrize(
    ("engine", "package", "extra"), [("qwen_agent", "qwen_agent", "qwen"), ("transformers", "torch", "transformers")]
)
def test_a_missing_package_names_its_extra(
    engine: str, package: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    hidden = "longtake.agent.controllers.factory.find_spec"  # so that the package is missing here, too
    monkeypatch.setattr(hidden, lambda name: None if name == package else find_spec(name))
    with pytest.raises(ConfigError, match=rf"needs {package}.*pip install 'longtake\[{extra}\]'"):
        plans_by(load(overrides=(f"controller.engine={engine}", "controller.model=m")))


@pytest.mark.skipif(not find_spec("qwen_agent"), reason="needs the extra `qwen`: pip install 'longtake[qwen]'")
def test_an_endpoint_for_qwen_agent_needs_its_address() -> None:
    with pytest.raises(ConfigError, match=r"controller\.engine=qwen_agent needs controller\.base_url"):
        plans_by(load(overrides=("controller.engine=qwen_agent",)))
