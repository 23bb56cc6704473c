"""Judges the statements of a draft: a model reads them, and quotations and arithmetic are checked exactly."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from operator import attrgetter
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langgraph.runtime import Runtime

from longtake.agent.controllers.tool_text import PromptText
from longtake.agent.drafts.cited import Cited, citations_of, stated_times
from longtake.agent.drafts.draft import ANSWER, LETTERS, Draft, Outcome, likely_letter
from longtake.agent.drafts.publishing import FLAGS, published, with_times
from longtake.agent.drafts.statements import ReadDraft, Statement, read_draft
from longtake.agent.gathering.briefing import CHARACTERS_A_TOKEN, TRANSCRIPT_SHARE, length_of
from longtake.agent.gathering.moments import holds, key_of
from longtake.agent.graph.nodes.brief import BRIEF, examined
from longtake.agent.graph.routing import MAX_CHECKS
from longtake.agent.graph.run_context import RunContext
from longtake.agent.graph.state import AgentState, calls_made, told
from longtake.agent.prompts.render import render
from longtake.agent.verification.judge import Grounds, Judged, JudgeReply, Ruling, judge_statements
from longtake.language.text import words_of
from longtake.memory.records import Citation, Claim, FoundBy, Moment
from longtake.memory.timespan import TimeSpan, clock
from longtake.tools.core.frames import is_frame, reference_of

_MOST_SHOWN = 120  # moments that a judge reads beside a whole transcript
_MOST_PICTURES = 12
_EARLIER = 2  # questions and answers that a follow-up goes on from
_OPENING = "\"'“‘«(*_"  # what may stand before a word
_BRIEFED = FoundBy(tool=BRIEF)
_LONG = 300.0  # seconds from which only the ends of a span are looked up
_MOST_BLANK = 8  # spans of an empty picture
_POORLY = "It was recognised too poorly there to prove anything."
_BROWSE = "browse"  # a row of it stands for moments that the model didn't see
_PROVES_NOTHING = "Nothing that was found proves an answer."
_LEFT_OUT = "Not called, because the answer came with it."


def judge(state: AgentState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Judge every statement of the draft. Send it back once if some aren't supported."""
    started = time.time()
    context, draft = runtime.context, state.draft
    if draft is None or state.judged is not None:
        return {}  # a guard ended the run; what was judged before still counts
    prompts = PromptText(context, state.progress.model_step, model=context.judge)
    beside: dict[str, list[Moment]] = {}
    judged = (
        _judged(draft, state, context, prompts, beside)
        if context.plans_by_model(state)
        else _quoted(draft, state, context)
    )
    flagged = [claim for claim in judged.claims if claim.verdict in FLAGS]
    if judged.option_reason and draft.option:
        flagged.append(Claim(text=f"Option {draft.option}", verdict="not_shown", reason=judged.option_reason))
    if judged.option and not draft.option:
        draft = draft.model_copy(update={"option": judged.option})
    progress = state.progress.spending(prompts.spent, context.judge_profile.price)
    progress = progress.model_copy(update={"checks": progress.checks + 1})
    back = judged.sent_back and progress.checks <= MAX_CHECKS and not progress.guard
    judged = judged.model_copy(update={"sent_back": back})
    context.trace.event(
        "judge",
        started=started,
        parent=state.progress.model_step,
        given={
            "draft": draft.model_dump(mode="json"),
            "beside": {name: [item.model_dump(mode="json") for item in near] for name, near in beside.items()},
        },
        result=judged.model_dump(mode="json"),
        data={"unsupported": len(flagged), "citations_removed": judged.removed, "problem": judged.problem},
        evidence=[item.id for item in state.moments.values()],
    )
    update: dict[str, Any] = {"draft": draft, "judged": judged, "progress": progress}
    return update | ({"messages": [*state.messages, *_feedback(state.messages[-1], flagged)]} if back else {})


def _judged(
    draft: Draft, state: AgentState, context: RunContext, prompts: PromptText, beside: dict[str, list[Moment]]
) -> Judged:
    """A language model's draft, judged. `beside` receives the moments near those it cites, and at times it names."""
    settings = context.tools.settings.verification
    state = replace(state, moments={**state.moments, **_at_times(draft, state, context, beside)})
    read = read_draft(draft, state.moments, context.names)
    unjudged: list[str] = []
    if draft.status == "abstained" and not draft.claims:  # a reason needs no proof, unless it cites some
        proven = tuple(each for each in read.statements if each.cited and not each.shares)
        unjudged = [each.text for each in read.statements if each not in proven]
        read = replace(read, statements=proven)
    option = _option(draft, state.options, read)
    asked = [*read.statements, option] if option else [*read.statements]
    if settings.mode == "off" or not asked:
        judgement = JudgeReply(tuple(Ruling("unchecked") for _ in asked))
    else:
        grounds = _grounds(asked, state, context, beside)
        pictures = _pictures(asked, state) if context.judge_profile.sees else {}
        grounds = replace(grounds, pictures=bool(pictures), unjudged=unjudged)
        judgement = judge_statements(
            asked,
            grounds,
            lambda prompt, schema: prompts.complete(prompt, schema=schema, pictures=pictures),
            letters="" if option or draft.status == "abstained" else LETTERS[: len(state.options)],
        )
        state = replace(state, moments={**state.moments, **grounds.evidence})
    rulings = judgement.rulings
    kept = [(each, ruling) for each, ruling in zip(read.statements, rulings, strict=False) if ruling.verdict]
    read = replace(read, statements=tuple(each for each, _ in kept))
    shows = draft.status != "abstained" and not judgement.abstains  # no moment proves that something isn't there
    claims = tuple(_claim(each, ruling, state, context.told_apart, shows=shows) for each, ruling in kept)
    chosen = rulings[-1] if option else None
    option_letter = draft.option or judgement.option
    if option_letter is None and draft.status != "abstained":
        said = " ".join((draft.text, *(claim.text for claim in draft.claims)))
        option_letter = likely_letter(said, state.options)
    deciding = _deciding([ruling for _, ruling in kept], chosen)
    status = _judged_status(draft, judgement, deciding)
    text = published(read, claims, state.moments, context.told_apart, strict=settings.mode == "strict")
    if settings.mode == "strict" and not text:
        status, text = "abstained", _PROVES_NOTHING
    verdicts = [claim.verdict for claim in claims] + ([chosen.verdict] if chosen else [])
    if option and chosen and chosen.verdict == "supported" and not any(claim.citations for claim in claims):
        # The moments that prove an option are shown also if nothing else of the reply has any, such as "B".
        claims = (*claims, _claim(option, chosen, state, context.told_apart, shows=shows))
    # An open guess isn't sent back for being one.
    doubts = ("contradicted",) if draft.status == "uncertain" else tuple(FLAGS)
    return Judged(
        text=text,
        status=status,
        claims=claims,
        option=option_letter or None,
        option_supported=_proven([chosen] if chosen else deciding),
        option_reason=chosen.reason if chosen and chosen.verdict in FLAGS else "",
        citations=read.citations,
        removed=read.removed,
        cited=sum(bool(claim.citations) for claim in claims),
        problem=judgement.problem,
        sent_back=status != "abstained" and any(verdict in doubts for verdict in verdicts),
    )


def _at_times(
    draft: Draft, state: AgentState, context: RunContext, beside: dict[str, list[Moment]]
) -> dict[str, Moment]:
    """The moments at the times that a draft names that the run hasn't found, under new ids."""
    added: dict[str, Moment] = {}
    text = " ".join((draft.text, *(part for claim in draft.claims for part in (claim.text, *claim.moments))))
    for stated in sorted(set(stated_times(text)), key=attrgetter("length", "start")):
        ends = (TimeSpan(start=at, end=at + 1) for at in (stated.start, stated.end))
        # A clock time is any within its second.
        whole = TimeSpan(start=stated.start, end=max(stated.end, stated.start + 1))
        for span in [whole] if stated.length <= _LONG else ends:
            new = (
                moment
                for moment in _recorded_moments(span, context, beside)
                if not any(holds(each, moment) for each in state.moments.values())
            )
            _add(added, new, state.moments)
    return added


def _recorded_moments(span: TimeSpan, context: RunContext, beside: dict[str, list[Moment]]) -> list[Moment]:
    """The moments of a span, also noted in `beside`, which goes into the trace."""
    there = [moment for video in context.tools.videos for moment in context.moments(video).at(span)]
    beside[key_of(span)] = there
    return there


def _option(draft: Draft, options: Sequence[str], read: ReadDraft) -> Statement | None:
    """The chosen option as a statement, which cites all that the draft cites."""
    if draft.option is None:
        return None
    cited = tuple(dict.fromkeys(each for statement in read.statements for each in statement.cited))
    text = f"The right option is {draft.option}: {options[LETTERS.index(draft.option)]}"
    return Statement(text, -1, -1, cited)


def _grounds(
    statements: Sequence[Statement], state: AgentState, context: RunContext, beside: dict[str, list[Moment]]
) -> Grounds:
    """The cited moments, then what lies beside them; others of the run, too, if they are few or nothing is cited."""
    moments, calls = state.moments, calls_made(state.messages)
    transcript = state.gathered.briefing.transcript if state.gathered and state.gathered.briefing else ()
    room = TRANSCRIPT_SHARE * context.judge_profile.context * CHARACTERS_A_TOKEN
    transcript = transcript if sum(map(length_of, transcript)) <= room else ()
    most = _MOST_SHOWN + len(transcript)
    evidence = {each.id: moments[each.id] for statement in statements for each in statement.cited}
    add = partial(_add, evidence, moments=moments, most=most)
    for moment in list(evidence.values()):
        if moment.modality != "metadata":
            beside[moment.id] = context.moments(moment.video).beside(moment)
    add(item for near in beside.values() for item in near)
    add(_naming(statements, [item.text for item in evidence.values()], moments))
    add(item for name, item in moments.items() if name.startswith("c"))
    abstains = state.draft is not None and state.draft.status == "abstained"
    if transcript or abstains or any(not statement.cited for statement in statements):
        # What the model looked for comes before the briefing, which may be a whole transcript.
        late = [name for name in moments if state.found_by.get(name, _BRIEFED).call is not None]
        ordered = [*reversed(late), *(name for name in moments if name not in late)]
        add(moments[name] for name in ordered if not is_frame(moments[name]))
        for call in calls:
            for span in call.result.looked_at if call.by.tool == _BROWSE and not call.result.evidence else ():
                add(_recorded_moments(span, context, beside))
    add(item for item in moments.values() if item.modality == "metadata")
    add(state.query.blank[:_MOST_BLANK] if state.query else ())
    results = [told(call) for call in calls]
    if len(evidence) >= most:
        results.append(f"Only {most} moments are listed here: what is missing may stand in others.")
    return Grounds(
        state.question,
        state.options,
        evidence,
        results,
        context.names,
        earlier=state.query.earlier[-_EARLIER:] if state.query else (),
        examined=[f"{json.dumps(video.name)}: {examined(video)}" for video in context.known.videos],
    )


def _naming(statements: Sequence[Statement], texts: Sequence[str], moments: Mapping[str, Moment]) -> Iterator[Moment]:
    """The first moment with each word that a statement writes with a capital and none of the texts has.

    It tells who "she" or "the guide" of a cited line is.
    """
    known = {word for text in texts for word in words_of(text).split()}
    capital = [part for each in statements for part in each.text.split() if part.lstrip(_OPENING)[:1].isupper()]
    first = sorted((each for each in moments.values() if not is_frame(each)), key=lambda each: each.span.start)
    for word in dict.fromkeys(words_of(" ".join(capital)).split()):
        yield from [each for each in first if word not in known and word in words_of(each.text).split()][:1]


def _pictures(statements: Sequence[Statement], state: AgentState) -> dict[str, str]:
    """References of the pictures behind visual moments that are cited, by what they show."""
    shown: dict[str, str] = {}
    for cited in dict.fromkeys(each for statement in statements for each in statement.cited):
        moment = state.moments[cited.id]
        if moment.modality != "visual" or len(shown) >= _MOST_PICTURES:
            continue
        at = moment.span if is_frame(moment) else cited.at or moment.span
        middle = (at.start + at.end) / 2
        frame = moment.frame if is_frame(moment) else None
        shown[f"{cited.id} at {clock(middle, decimals=1)}"] = frame or reference_of(moment.video, middle)
    return shown


def _add(
    evidence: dict[str, Moment], items: Iterable[Moment], moments: Mapping[str, Moment], most: int = _MOST_SHOWN
) -> None:
    """Add moments under their ids, and others under the next ones, each once and not too many."""
    for item in items:
        if len(evidence) >= most:
            return
        if any(holds(each, item) for each in evidence.values()):
            continue
        known = next((name for name, each in moments.items() if holds(each, item)), None)
        taken = {name for name in (*moments, *evidence) if name.startswith("c")}
        evidence[known or f"c{len(taken) + 1}"] = moments[known] if known else item


def _claim(statement: Statement, ruling: Ruling, state: AgentState, names: Mapping[str, str], *, shows: bool) -> Claim:
    assert ruling.verdict is not None, "what states nothing is no claim"
    beside = {name: moment for name, moment in state.moments.items() if name.startswith("c")}  # unknown to a controller
    against: tuple[Citation, ...] = ()
    if ruling.verdict == "contradicted":
        against = tuple(Citation.of(state.moments[name]) for name in ruling.named if name in state.moments)
    named = _added_citations(statement, ruling, state.moments) if shows else []
    return Claim(
        text=statement.text,
        verdict=ruling.verdict,
        reason="" if ruling.verdict == "supported" else with_times(ruling.reason, beside, names),
        citations=citations_of((*statement.cited, *named), state.moments),
        against=against,
        found_by=_finders(statement, state),
    )


def _added_citations(statement: Statement, ruling: Ruling, moments: Mapping[str, Moment]) -> list[Cited]:
    """The moments that prove a statement by the judge's word, and that it doesn't cite itself."""
    own = {each.id for each in statement.cited}
    proving = ruling.named if ruling.verdict == "supported" else ()
    return [Cited(name, None) for name in proving if name in moments and name not in own]


def _finders(statement: Statement, state: AgentState) -> tuple[FoundBy, ...]:
    """The steps that found what a statement cites, each once."""
    found = [state.found_by[each.id] for each in statement.cited if each.id in state.found_by]
    return tuple(each for place, each in enumerate(found) if each not in found[:place])


def _deciding(rulings: Sequence[Ruling], chosen: Ruling | None) -> Sequence[Ruling]:
    """The rulings on what answers the question: all of them, if the judge names none."""
    return [*(ruling for ruling in rulings if ruling.answers), *([chosen] if chosen else [])] or rulings


def _judged_status(draft: Draft, judgement: JudgeReply, deciding: Sequence[Ruling]) -> Outcome:
    """The status of a judged draft: uncertain if a claim that answers the question isn't supported."""
    if draft.status == "abstained" or judgement.abstains:
        return "abstained"
    if judgement.rulings and not deciding:
        return "uncertain"  # it states nothing: a refusal, or what it would look for
    doubted = any(ruling.verdict in FLAGS for ruling in deciding)
    unchecked = judgement.problem and any(ruling.verdict == "unchecked" for ruling in deciding)
    return "uncertain" if doubted or unchecked else draft.status


def _proven(rulings: Sequence[Ruling]) -> bool | None:
    """Whether all are supported; None if that wasn't checked."""
    verdicts = {ruling.verdict for ruling in rulings}
    return None if not verdicts or "unchecked" in verdicts else verdicts == {"supported"}


def _quoted(draft: Draft, state: AgentState, context: RunContext) -> Judged:
    """A draft of quotations, which need no judge: they are in the evidence, unless it was recognised poorly."""
    moments = state.moments
    read = read_draft(draft.model_copy(update={"text": ""}), moments, context.names, marked=False)
    claims: list[Claim] = []
    for statement in read.statements:
        proof = [each for each in statement.cited if moments[each.id].trusted]
        poor = bool(statement.cited) and not proof
        claims.append(
            Claim(
                text=statement.text,
                verdict="not_shown" if poor else "supported" if draft.status == "answered" else "unchecked",
                reason=_POORLY if poor else "",
                citations=citations_of(proof or statement.cited, moments),
                found_by=_finders(statement, state),
            )
        )
    doubted = bool(claims) and all(claim.verdict == "not_shown" for claim in claims)
    return Judged(
        text=draft.text or published(read, claims, moments, context.told_apart),
        status="uncertain" if draft.status == "answered" and doubted else draft.status,
        claims=tuple(claims),
        option=draft.option,
        option_supported=draft.status == "answered" and not doubted if draft.option else None,
        citations=read.citations,
        removed=read.removed,
        cited=sum(bool(claim.citations) for claim in claims),
    )


def _feedback(last: BaseMessage, claims: Sequence[Claim]) -> list[BaseMessage]:
    """What goes back to the controller. Every call of its reply needs a result."""
    text = render("unsupported", claims=claims)
    calls = last.tool_calls if isinstance(last, AIMessage) else []
    answers = [call["id"] for call in calls if call["name"] == ANSWER]
    if not calls:
        return [HumanMessage(text)]
    return [
        ToolMessage(text if call["id"] == answers[-1] else _LEFT_OUT, tool_call_id=call["id"] or "", name=call["name"])
        for call in calls
    ]
