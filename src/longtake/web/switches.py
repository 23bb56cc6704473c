"""What a person switches on the page: engines, tools and the language and track of speech, kept in the library.

They only ever take away from the settings that the server was started with: nothing that those lack, such as face
recognition or a search of the web, can be switched on from a browser.
"""

from __future__ import annotations

import threading
from pathlib import Path

from pydantic import Field, ValidationError

from longtake.errors import LibraryError
from longtake.memory.layers import write_atomic
from longtake.memory.records import Record
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.engines.capabilities import PURPOSES
from longtake.preprocess.media.language_names import language_of, languages
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.settings import Settings
from longtake.tools.catalogue import ALL_TOOLS
from longtake.tools.core.registry import SPECS
from longtake.web.http.refusals import Refusal
from longtake.web.indexing import ENGINE_OF

# Engines that index, except the one whose vectors the search index holds.
SWITCHED = tuple(capability for capability in ENGINE_OF.values() if capability != "text_embedding")


class Switches(Record):
    """What is switched off, and the language and the track of speech."""

    engines_off: tuple[str, ...] = Field(default=(), max_length=100, description="Capabilities that index.")
    tools_off: tuple[str, ...] = Field(default=(), max_length=1_000, description="Names of tools.")
    language: str | None = Field(
        default=None, max_length=100, description="Language of speech, as a code or a name; as in the settings if null."
    )
    track: str | None = Field(
        default=None,
        min_length=1,
        max_length=200,
        description="Of several sound tracks the one to read: number, language or title; as in the settings if null.",
    )


class SwitchedEngine(Record):
    """A capability that indexes."""

    capability: str
    purpose: str
    on: bool
    engine: str | None
    summary: str
    missing: str | None = Field(description="If it is on and nothing supplies it: why, and what to do.")


class SwitchedTool(Record):
    """A tool that can be offered while a question is answered."""

    name: str
    purpose: str = Field(description="The first sentence of its description.")
    on: bool


class Language(Record):
    """A language that speech may be in."""

    code: str
    name: str


class Switchable(Record):
    """The switches, and what they switch."""

    switches: Switches
    engines: tuple[SwitchedEngine, ...]
    tools: tuple[SwitchedTool, ...]
    detected: bool = Field(description="Whether the language is detected when no language is switched to.")
    languages: tuple[Language, ...]


class SwitchBoard:
    """The switches of one library; thread-safe."""

    def __init__(self, workspace: Workspace) -> None:
        """Apply the switches that the library keeps to the workspace's settings.

        Raises:
            LibraryError: if their file is damaged.
        """
        self._workspace = workspace
        self._given = workspace.settings
        self._file: Path = workspace.library.root / "switches.json"
        self._lock = threading.Lock()
        self._now = self._kept()
        if self._now != Switches():
            self._apply()

    def shown(self) -> Switchable:
        """The switches now, and everything that can be switched."""
        off = self._now
        reports = {each.capability: each for each in self._workspace.engines.reports()}
        engines = (
            SwitchedEngine(
                capability=name,
                purpose=PURPOSES[name],
                on=name not in off.engines_off,
                engine=reports[name].engine,
                summary=reports[name].summary,
                missing=None if reports[name].engine else next(iter(reports[name].reasons.values()), None),
            )
            for name in SWITCHED
            if getattr(self._given.engines, name)
        )
        tools = (
            SwitchedTool(name=spec.name, purpose=spec.description.split("\n")[0], on=spec.name not in off.tools_off)
            for spec in (SPECS[tool] for tool in ALL_TOOLS)
            if spec.name not in self._given.tools.off
        )
        return Switchable(
            switches=off,
            engines=tuple(engines),
            tools=tuple(tools),
            detected=self._given.speech.language is None,
            languages=tuple(Language(code=code, name=name) for code, name in languages()),
        )

    def switch(self, switches: Switches) -> None:
        """Apply and keep other switches; work under way goes on as it was.

        Raises:
            Refusal: 400 for an engine, a tool or a language that there isn't.
        """
        known = self.shown()
        _refuse_others("engine", switches.engines_off, [each.capability for each in known.engines])
        _refuse_others("tool", switches.tools_off, [each.name for each in known.tools])
        language = switches.language and language_of(switches.language)
        if switches.language and language is None:
            raise Refusal(400, f"{switches.language!r} isn't the name or the code of a language.")
        with self._lock:
            self._now = switches.model_copy(update={"language": language})
            write_atomic(self._file, self._now.model_dump_json() + "\n")
            self._apply()

    def _apply(self) -> None:
        settings = _switched(self._given, self._now)
        engines = EngineTable(settings)
        self._workspace.settings, self._workspace.engines = settings, engines

    def _kept(self) -> Switches:
        try:
            return Switches.model_validate_json(self._file.read_bytes())
        except FileNotFoundError:
            return Switches()
        except (OSError, ValidationError) as error:
            raise LibraryError(f"{self._file} is damaged: delete it, and everything is switched on again.") from error


def _switched(given: Settings, switches: Switches) -> Settings:
    engines = given.engines.model_copy(update=dict.fromkeys(switches.engines_off, ()))
    tools = given.tools.model_copy(update={"off": tuple(dict.fromkeys((*given.tools.off, *switches.tools_off)))})
    language = switches.language or given.speech.language
    track = switches.track or given.speech.track
    speech = given.speech.model_copy(update={"language": language, "track": track})
    return given.model_copy(update={"engines": engines, "tools": tools, "speech": speech})


def _refuse_others(what: str, named: tuple[str, ...], known: list[str]) -> None:
    if unknown := [name for name in named if name not in known]:
        raise Refusal(400, f"There is no {what} {unknown[0]!r} to switch off; GET /api/settings lists them.")
