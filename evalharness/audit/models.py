"""The models of an audit by what they take part in: Video-Oasis asks three for text, three for frames, five for whole.

A name as given on the command line is a subject, which takes part in the tests of text and of frames and in
Consistency, or a subject after one of `ROLES` and a colon, which takes part in that alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from longtake.errors import ConfigError
from longtake.evalharness.items import Item, Variant
from longtake.evalharness.subjects.model_spec import BAG_OF_FRAMES, is_encoder
from longtake.evalharness.subjects.names import named
from longtake.evalharness.views.frame_views import CHUNKS, FrameShuffling, Grounded, KeyframeView, Standard, Uniform

TEXT_TESTS = ("blind", "audio", "summary")
FRAME_TESTS = ("center-frame", FrameShuffling.name)
TESTS = (*TEXT_TESTS, *FRAME_TESTS)
PARTS = tuple(f"chunk-{number}" for number in range(1, CHUNKS + 1))
VALIDATION = "validation"  # the variant that shows the whole video to models outside Consistency
ROLES = ("text", "frames", "consistency", VALIDATION)
ENCODERS = "encoders"


@dataclass(frozen=True)
class AuditModels:
    """Who takes part in what."""

    by_role: Mapping[str, tuple[str, ...]]  # names
    given: tuple[str, ...]  # the subjects as the command line gives them, each once and without its role

    @property
    def subjects(self) -> tuple[str, ...]:
        """All of them, each once."""
        return tuple(dict.fromkeys(name for names in self.by_role.values() for name in names))

    def variants(
        self, tests: Sequence[str], items: Iterable[Item], redundancy: Sequence[str] = (), *, chosen: bool = False
    ) -> tuple[Variant, ...]:
        """The variants of an audit, each with the models that are asked; other models may join them later.

        Args:
            tests: by name.
            items: of the audit; those that say which part shows the answer are also asked with that part alone.
            redundancy: who is asked about each eighth of the video; the paper asks one model.
            chosen: whether frames chosen for the question, and as many spread evenly, are shown too.

        Raises:
            ConfigError: if one takes part in nothing.
        """
        text, frames, consistency, validation = (self.by_role.get(role, ()) for role in ROLES)
        variants = [
            Variant(name=Standard.name, view=Standard.name, only=consistency),
            Variant(name=VALIDATION, view=Standard.name, only=validation),
            *(Variant(name=test, view=test, only=text if test in TEXT_TESTS else frames) for test in tests),
            Variant(name=BAG_OF_FRAMES, view=BAG_OF_FRAMES, only=self.by_role.get(ENCODERS, ())),
        ]
        asked = {name for variant in variants for name in variant.only or ()}
        if idle := [name for name in self.subjects if name not in asked]:
            raise ConfigError(
                f"{idle[0]} takes part in none of the tests {', '.join(tests)}. Leave it out, or name more."
            )
        whole = (*consistency, *validation)
        if any(item.turns[0].evidence for item in items):
            variants.append(Variant(name=Grounded.name, view=Grounded.name, with_evidence=True, only=whole))
        if chosen:
            variants += [Variant(name=view, view=view, only=whole) for view in (Uniform.name, KeyframeView.name)]
        if redundancy:
            variants += [Variant(name=view, view=view, only=tuple(redundancy)) for view in PARTS]
        return tuple(variants)


def models_named(names: Iterable[str]) -> AuditModels:
    """The models of names as given on the command line.

    Raises:
        ConfigError: if an encoder has a role, or a model of Consistency is one of validation too.
    """
    found: dict[str, dict[str, None]] = {role: {} for role in (*ROLES, ENCODERS)}
    given = dict[str, None]()
    for name in names:
        before, _, rest = name.partition(":")
        roles, subject = ((before,), rest) if before in ROLES else (ROLES[:3], name)
        one = named(subject)
        given[subject] = None
        if is_encoder(one.spec):
            if before in ROLES:
                raise ConfigError(f"{subject} is an encoder: name it without {before}:, because it has one test.")
            roles = (ENCODERS,)
        for role in roles:
            found[role][one.name] = None
    if both := found["consistency"].keys() & found[VALIDATION].keys():
        raise ConfigError(f"{min(both)} sees the whole video once: name it without {VALIDATION}:.")
    return AuditModels({role: tuple(subjects) for role, subjects in found.items()}, tuple(given))
