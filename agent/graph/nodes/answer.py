"""Turns verified claims into the answer."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.messages import BaseMessage
from langgraph.runtime import Runtime

from longtake.agent.controllers.reply import Reply
from longtake.agent.graph.routing import SILENT, STOPPED, run_cost
from longtake.agent.graph.run_context import RunContext
from longtake.agent.graph.state import AgentState, Progress, Turn
from longtake.agent.graph.video_metadata import shots_examined
from longtake.agent.query.query import LAYERS_OF, MODALITY_OF, Source
from longtake.agent.verification.claims import LETTER, NOT_FOUND, open_parts, split_gap
from longtake.agent.verification.provenance import calls_made, pages_quoted
from longtake.agent.verification.publishing import softened, unsure, with_citations
from longtake.agent.verification.verdicts import QUOTATION, says
from longtake.console import counted
from longtake.language.words import holds_phrase
from longtake.memory.records import Answer, Citation, Claim, Evidence, Modality, Option, Status, Usage
from longtake.memory.timespan import clock

MAX_FINDINGS = 3
NOTHING = "I couldn't find this in the video."
STOOD_IN = "(The language model gave no usable answer: {why}. This answer quotes the lines that were found.)"
FAILED = "(Not everything could be examined. {what})"
HELP = "`longtake doctor` says what that takes"
MANY = frozenset({"list", "count", "order"})  # targets for which everything must be examined
HEARD = frozenset[Modality]({"speech", "audio"})
HEARD_LAYERS = frozenset({"subtitles", "sounds", "speech"})
MAX_LEFT_OUT = 3  # sentences about parts of one file
MAX_DAMAGED = 3  # sentences about damaged layers
NO_OPTION = "No evidence settles which option is right."
# Names of layers that are missing.
SENSES: Mapping[Source, str] = {
    "speech": "speech (no subtitles)",
    "text": "text in the picture",
    "sound": "sounds",
}


def answer(state: AgentState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Build the answer with its status. A rejected claim stays visible as a claim, but not in the text.

    A claim whose evidence was recognised too poorly is kept and marked. It doesn't count as an answer and isn't cited.
    """
    started = time.time()
    context = runtime.context
    status, text, sure = _conclude(state, context)
    proven = [claim for claim in state.claims if claim.verdict == "supported"] if sure else []
    option = state.reply.option if state.reply else _option(state) if proven else None
    if proven and option is None and LETTER.match(state.draft or "") and state.options:
        text = f"{text} {NO_OPTION}"
    if status in ("abstained", "uncertain"):
        why = _failed(state.messages), _voices(state, context), _unreadable(state, context), _damaged(context)
        text = " ".join(filter(None, (text, *why)))
    if state.stands_in and status != "partial":
        text = f"{text} {STOOD_IN.format(why=state.stands_in)}"
    result = Answer(
        question=state.question,
        status=status,
        answer=text,
        options=state.options,
        option=option,
        confidence=state.reply.confidence if state.reply else None,
        closest=state.reply.closest if state.reply and not sure and state.reply.outcome != "abstained" else (),
        citations=_citations(proven),
        claims=tuple(state.claims),
        citations_removed=state.citing.citations - state.citing.backed,
        citation_precision=state.citing.precision,
        citation_recall=state.citing.recall,
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
    turn = Turn(question=state.question, answer=text, proof=next(iter(result.citations), None))
    return {"answer": result, "turns": [turn]}


def _failure(state: AgentState) -> str | None:
    """Why the controller failed on the way, even if another one or earlier findings gave the answer."""
    why = state.stands_in or state.progress.guard or ""
    return why if why.startswith(SILENT) else None


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
    """That nothing tells the voices apart, for a count of what is said; how many people speak is one."""
    query = state.query
    if query is None or (query.source, query.target) != ("speech", "count") or query.coverage.get("speakers"):
        return ""
    if "speech" in query.lacks:
        return ""
    return f"(Voices weren't told apart: {HELP}.)"


def _conclude(state: AgentState, context: RunContext) -> tuple[Status, str, bool]:
    """The status, the text, and whether the supported claims are its proof: they prove no guess, whatever ended it."""
    names = {video.id: video.record.name for video in context.tools.videos.values()}
    text, doubted = with_citations(state.claims, names), softened(state.claims, names)
    proof = shots_examined(state.examined, context.known.videos) if _counts_on_shots(state) else ""
    replied = _of_reply(state, state.reply, text, proof, context) if state.reply is not None else None
    sure = replied is None or replied[0] == "answered"
    if replied and replied[0] == "uncertain":
        text, doubted = replied[1], ""
    if state.progress.guard:
        found = f"{text} {doubted}".strip() or _findings(state.evidence)
        so_far = f"So far: {found}" if found else "Nothing found so far."
        why = "" if state.progress.guard == STOPPED else f" because {state.progress.guard}"
        return "partial", f"Stopped{why}. {so_far}", sure
    if context.known.incomplete:
        unfinished = ", ".join(context.known.incomplete)
        found = text or "I couldn't find an answer in the available layers."
        found = f"{found} {doubted}".strip()
        return "partial", f"{found} ({unfinished}: indexing isn't finished, so not everything was searched.)", sure
    if replied:
        return *replied, sure
    draft = state.draft or ""
    if text:
        return "answered", " ".join(filter(None, (text, _beyond_the_video(state), doubted, proof))), True
    reason = draft.removeprefix(NOT_FOUND).strip() if draft.startswith(NOT_FOUND) else "No evidence supports an answer."
    return "abstained", " ".join(filter(None, (reason, doubted, _examined(state, context), proof))), False


def _counts_on_shots(state: AgentState) -> bool:
    """Whether every shot should be examined; not for questions about sound alone."""
    query = state.query
    heard = MODALITY_OF.get(query.source) in HEARD if query else True
    modalities = {citation.modality for claim in state.claims for citation in claim.citations}
    return query is not None and query.target in MANY and not heard and not modalities & HEARD


def _of_reply(state: AgentState, reply: Reply, text: str, proof: str, context: RunContext) -> tuple[Status, str]:
    """Publish a structured draft: its claims if sure and proven, else the closest lines, else the reason."""
    if reply.outcome == "answered" and (text or not reply.claims):
        return "answered", " ".join(filter(None, (text or reply.reason, proof)))
    if reply.outcome == "abstained" or not (reply.closest or reply.option):
        return "abstained", f"{reply.reason or NOTHING} {_examined(state, context)}"
    names = {video.id: video.record.name for video in context.tools.videos.values()}
    return "uncertain", unsure(reply, names if len(names) > 1 else {})


def _beyond_the_video(state: AgentState) -> str:
    """Quotations from web pages behind the answer, marked as such, and the parts left open."""
    _, gap = split_gap(state.draft or "")
    question = state.query.question if state.query else state.question
    web = ""
    for snippet, address in pages_quoted(gap, calls_made(state.messages)):
        gap = gap.replace(f"“{snippet}”", "").strip()
        web = f"{web} On the web, not in the video: “{snippet}” ({address})."
    return f"{open_parts(gap, question)}{web}".strip()


def _findings(evidence: Sequence[Evidence]) -> str:
    """The best quotable finding of the tools; facts known about every recording don't count."""
    # A search scores weak hits 0: they were only the nearest, not found.
    sure = (item for item in evidence if item.trusted and item.score > 0)
    quotable = [item for item in sure if item.modality in ("speech", "scene_text", "audio")]
    found = sorted(quotable, key=lambda item: -item.score)
    return " ".join(f"“{item.content}” [{clock(item.span.start)}]" for item in found[:MAX_FINDINGS])


def _examined(state: AgentState, context: RunContext) -> str:
    """Which layers were searched, and why others weren't."""
    query, problems = state.query, context.known.problems
    assert query is not None, "orient runs first"
    named = {name for names in LAYERS_OF.values() for name in names}
    shares = query.coverage.items()
    looked = [f"{name.replace('_', ' ')} {share:.0%}" for name, share in shares if name in named and share]
    missing = [
        next((problems[name] for name in LAYERS_OF[source] if name in problems), label).rstrip(".")
        for source, label in SENSES.items()
        if not query.examined(source) and source not in query.lacks
    ]
    text = f"Examined: {', '.join(looked)} of the timeline." if looked else "Nothing could be examined."
    return text + (f" Not examined: {', '.join(missing)}." if missing else "")


def _citations(claims: Sequence[Claim]) -> tuple[Citation, ...]:
    return tuple(dict.fromkeys(citation for claim in claims for citation in (*claim.citations, *claim.against)))


def _option(state: AgentState) -> Option | None:
    """The option that the draft names by letter, if the proven claims say that option and no other.

    If several options fit, words outside a claim's quotations count before words inside.
    """
    match = LETTER.match(state.draft or "")
    number = ord(match[1].upper()) - ord("A") if match else len(state.options)
    if match is None or number >= len(state.options):
        return None
    proven = " ".join(claim.text for claim in state.claims if claim.verdict == "supported")
    said = [option for option in state.options if says(QUOTATION.sub(" ", proven), option)]
    said = said or [option for option in state.options if says(proven, option)]
    # "45 dollars and 50 cents" also says "45 dollars": the longer of two such options is meant.
    meant = [option for option in said if not any(says(other, option) and not says(option, other) for other in said)]
    if len(meant) > 1:  # "from left to right" and "from right to left": one of them is in the claim and the proof
        proof = " ".join(citation.quote for claim in state.claims for citation in claim.citations)
        meant = [option for option in meant if holds_phrase(option, proven) and holds_phrase(option, proof)]
    text = state.options[number]
    return Option(letter=match[1].upper(), text=text) if meant == [text] else None


def usage_of(progress: Progress, context: RunContext) -> Usage:
    """What a run has used so far."""
    return Usage(
        rounds=progress.rounds,
        tool_calls=progress.tool_calls,
        seconds=round(time.time() - context.started, 3),
        input_tokens=progress.input_tokens,
        output_tokens=progress.output_tokens,
        cost=run_cost(progress, context.tools),
    )
