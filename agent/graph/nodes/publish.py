"""Turns the judged draft into the answer."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.messages import BaseMessage
from langgraph.runtime import Runtime

from longtake.agent.drafts.draft import LETTERS, NOTHING
from longtake.agent.drafts.publishing import with_times
from longtake.agent.graph.known_videos import shots_examined
from longtake.agent.graph.routing import SILENT, STOPPED
from longtake.agent.graph.run_context import RunContext
from longtake.agent.graph.state import AgentState, Progress, Turn, calls_made, pages_read
from longtake.agent.query.query import LAYERS_OF, MODALITY_OF, Source
from longtake.agent.verification.judge import Judged
from longtake.console import counted
from longtake.memory.records import Answer, Citation, Claim, Modality, Moment, Option, Status, Usage, display_name
from longtake.memory.timespan import clock
from longtake.preprocess.engines.objects.objects_query import kinds_named

MAX_FINDINGS = 3
STOOD_IN = "(The language model gave no answer: {why}. This answer quotes the lines that were found.)"
CUT_OFF = "(The model's reply was cut off {where}.)"
UNCHECKED = "({what} checked against the video: `longtake doctor` and the trace say why.)"
LIMITED = "(This rests on what was found before {why}.)"
FAILED = "(Not everything could be examined. {what})"
_SPEAKING = ("person", "speaker", "voice")
HELP = "`longtake doctor` says what that takes"
MANY = frozenset({"list", "count", "order"})  # targets for which everything must be examined
HEARD = frozenset[Modality]({"speech", "audio"})
HEARD_LAYERS = frozenset({"subtitles", "sounds", "speech"})
MAX_LEFT_OUT = 3  # sentences about parts of one file
MAX_DAMAGED = 3  # sentences about damaged layers
# Names of layers that are missing.
SENSES: Mapping[Source, str] = {
    "speech": "speech (no subtitles)",
    "text": "text in the picture",
    "sound": "sounds",
}


def publish(state: AgentState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Build the answer: the controller's text, what its claims rest on, and what is to be said about both."""
    started = time.time()
    context, draft, judged = runtime.context, state.draft, state.judged
    status, text = _conclude(state, context)
    cites = judged is not None and (context.plans_by_model(state) or judged.status == "answered")
    result = Answer(
        question=state.question,
        status=status,
        answer=text,
        options=state.options,
        option=_option(state),
        confidence=draft.confidence if draft else None,
        closest=draft.closest if draft and judged and judged.status == "uncertain" else (),
        citations=_citations(judged.claims) if judged and cites else (),
        claims=_claims(judged, state, context) if judged else (),
        citations_removed=judged.removed if judged else 0,
        citation_precision=_share(judged.citations - judged.removed, judged.citations) if judged else None,
        citation_recall=_share(judged.cited, len(judged.claims)) if judged else None,
        coverage=dict(state.query.coverage) if state.query else {},
        usage=usage_of(state.progress, context),
        offline=context.tools.settings.offline,
        trace=context.trace.kept,
        controller_error=_failure(state),
    )
    context.trace.event(
        "answer",
        started=started,
        parent=state.progress.model_step,
        result=result.model_dump(mode="json"),
        data={"status": status},
        evidence=[item.id for item in state.evidence],
    )
    turn = Turn(question=state.question, answer=text, proof=next(iter(result.places), None))
    return {"answer": result, "turns": [turn]}


def _claims(judged: Judged, state: AgentState, context: RunContext) -> tuple[Claim, ...]:
    """The claims, with times for ids in the reasons."""
    reasons = (with_times(claim.reason, state.moments, context.told_apart) for claim in judged.claims)
    told = zip(judged.claims, reasons, strict=True)
    return tuple(claim.model_copy(update={"reason": reason}) for claim, reason in told)


def _conclude(state: AgentState, context: RunContext) -> tuple[Status, str]:
    """The status and the text, with what is to be said about them."""
    judged, guard = state.judged, state.progress.guard
    text = _letter_named(state, judged.text) or (NOTHING if judged.status == "abstained" else "") if judged else ""
    if judged is None or (guard and not context.plans_by_model(state)):
        found = text or _findings(state.evidence)
        so_far = f"So far: {found}" if found else "Nothing found so far."
        why = "" if guard == STOPPED or not guard else f" because {guard}"
        return "partial", f"Stopped{why}. {so_far}"
    unfinished = ", ".join(context.known.incomplete)
    not_all = f"({unfinished}: indexing isn't finished, so not everything was searched.)" if unfinished else ""
    if unfinished and judged.status == "abstained" and not context.plans_by_model(state):
        return "partial", f"Nothing found so far. {not_all}"  # why nothing was found isn't known yet
    notes = []
    if guard and not guard.startswith(SILENT):
        notes.append(LIMITED.format(why=guard))
    if state.draft and state.draft.cut:
        notes.append(CUT_OFF.format(where=state.draft.cut))
    if judged.problem:
        some = any(claim.verdict != "unchecked" for claim in judged.claims)
        notes.append(UNCHECKED.format(what="Only some statements were" if some else "The statements weren't"))
    if not context.plans_by_model(state):
        notes += _about_quotes(state, judged, context)
    if judged.status != "answered":
        notes += [_failed(state.messages), _unreadable(state, context), _damaged(context)]
    elif pages_read(calls_made(state.messages)):
        notes.append("(Pages of the web were read, which are no part of the video.)")
    if state.stands_in:
        notes.append(STOOD_IN.format(why=_why(state.stands_in)))
    if not unfinished:
        return judged.status, " ".join(filter(None, (text, *notes)))
    return "partial", " ".join(filter(None, (text or NOTHING, *notes, not_all)))


def _letter_named(state: AgentState, text: str) -> str:
    """The text; for a bare letter its option."""
    letter = state.draft.option if state.draft else None
    if letter is None or text.strip(" ().:*").upper() not in ("", letter):
        return text
    return f"{letter}. {state.options[LETTERS.index(letter)]}"


def _about_quotes(state: AgentState, judged: Judged, context: RunContext) -> list[str]:
    """What quotations alone don't say: how much was examined for them."""
    notes = []
    if judged.status == "abstained":
        notes.append(_examined(state, context))
    if judged.status != "answered":
        notes.append(_voices(state, context))
    if judged.status != "uncertain" and _counts_on_shots(state, judged):
        notes.append(shots_examined(state.examined, context.known.videos))
    return notes


def _option(state: AgentState) -> Option | None:
    """The option whose letter the controller gave."""
    letter = state.draft.option if state.draft else None
    if letter is None:
        return None
    supported = state.judged.option_supported if state.judged else None
    return Option(letter=letter, text=state.options[LETTERS.index(letter)], supported=supported)


def _why(guard: str) -> str:
    """What made a model silent."""
    return guard.removeprefix(f"{SILENT} (").removesuffix(")")


def _failure(state: AgentState) -> str | None:
    """Why the controller failed on the way, even if another one or earlier findings gave the answer."""
    why = state.stands_in or state.progress.guard or ""
    return why if why.startswith(SILENT) else None


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def _citations(claims: Sequence[Claim]) -> tuple[Citation, ...]:
    told = (claim for claim in claims if claim.verdict in ("supported", "unchecked"))
    return tuple(dict.fromkeys(citation for claim in told for citation in claim.citations))


def _failed(messages: Sequence[BaseMessage]) -> str:
    """What models and engines said as they failed, such as a server that is down; empty if none did."""
    failures = (made.result.failure for made in calls_made(messages))
    said = " ".join(dict.fromkeys(each.message for each in failures if each and each.kind == "engine_failed"))
    return said and FAILED.format(what=said)


def _damaged(context: RunContext) -> str:
    """Which layers can't be read, and how to renew them: the answer may be in one of them."""
    damaged = context.known.damaged
    said = " ".join(damaged[:MAX_DAMAGED])
    if len(damaged) > MAX_DAMAGED:
        said += f" The same is true of {counted(len(damaged) - MAX_DAMAGED, 'other layer')}."
    return said and f"({said})"


def _unreadable(state: AgentState, context: RunContext) -> str:
    """Which parts of the sound couldn't be read, for a question about it, or else of the picture."""
    heard = state.query is not None and MODALITY_OF.get(state.query.source) in HEARD
    said = []
    for video in context.known.videos:
        told = (each for name, each in video.left_out.items() if (name in HEARD_LAYERS) == heard)
        sentences = list(dict.fromkeys(sentence.rstrip(".") for each in told for sentence in each))
        more = [f"and {len(sentences) - MAX_LEFT_OUT} more"] if len(sentences) > MAX_LEFT_OUT else []
        if sentences:
            said.append(f"{video.name}: {'; '.join([*sentences[:MAX_LEFT_OUT], *more])}")
    return f"({'. '.join(said)}.)" if said else ""


def _voices(state: AgentState, context: RunContext) -> str:
    """A note that voices weren't told apart, for questions that count who speaks; else empty."""
    query = state.query
    if query is None or (query.source, query.target) != ("speech", "count") or query.coverage.get("speakers"):
        return ""
    if "speech" in query.lacks or not kinds_named(query.question, _SPEAKING):
        return ""
    return f"(Voices weren't told apart: {HELP}.)"


def _counts_on_shots(state: AgentState, judged: Judged) -> bool:
    """Whether every shot should be examined; not for questions about sound alone."""
    query = state.query
    heard = MODALITY_OF.get(query.source) in HEARD if query else True
    modalities = {citation.modality for claim in judged.claims for citation in claim.citations}
    return query is not None and query.target in MANY and not heard and not modalities & HEARD


def _findings(evidence: Sequence[Moment]) -> str:
    """The best quotable findings of the tools; facts known about every recording don't count."""
    # A search scores weak hits 0: they were only the nearest, not found.
    sure = (item for item in evidence if item.trusted and item.score > 0)
    quotable = [item for item in sure if item.modality in ("speech", "scene_text", "audio")]
    found = sorted(quotable, key=lambda item: -item.score)
    return " ".join(f"“{item.text}” [{clock(item.span.start)}]" for item in found[:MAX_FINDINGS])


def _examined(state: AgentState, context: RunContext) -> str:
    """Which layers were searched, and why others weren't."""
    query, problems = state.query, context.known.problems
    assert query is not None, "orient runs first"
    # A recogniser hears what subtitles leave out: both are speech.
    shares = {names[-1]: min(1.0, sum(query.coverage.get(name, 0.0) for name in names)) for names in LAYERS_OF.values()}
    looked = [f"{display_name(name)} {share:.0%}" for name, share in shares.items() if share]
    missing = []
    for source, label in SENSES.items():
        if not query.examined(source) and source not in query.lacks:
            problem = next((problems[name] for name in LAYERS_OF[source] if name in problems), "")
            # While indexing isn't finished, which is said as well, only what can't be built is missing.
            missing += [problem.rstrip(".") or label] if problem or not context.known.incomplete else []
    text = f"Examined: {', '.join(looked)} of the timeline." if looked else "Nothing could be examined."
    return text + (f" Not examined: {', '.join(missing)}." if missing else "")


def usage_of(progress: Progress, context: RunContext) -> Usage:
    """What a run has used so far."""
    return Usage(
        rounds=progress.rounds,
        tool_calls=progress.tool_calls,
        seconds=round(time.time() - context.started, 3),
        input_tokens=progress.input_tokens,
        output_tokens=progress.output_tokens,
        cost=progress.cost,
    )
