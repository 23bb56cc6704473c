"""A run about a video that, wherever it or the model says something, says a script."""

from __future__ import annotations

import time
from pathlib import Path

from helpers.data.written_layers import write_keyframes, write_layer
from helpers.media.clips import flat
from langchain_core.messages import AIMessage, HumanMessage, message_to_dict

from longtake.agent.gathering.gathered import Found, Gathered
from longtake.agent.query.query import Query, Reading
from longtake.agent.traces.trace import RecordedTrace, Trace
from longtake.config import load
from longtake.memory.library import LibraryStore, VideoRecord
from longtake.memory.records import Answer, Citation, Claim, Moment
from longtake.memory.timespan import TimeSpan
from longtake.tools.core.result import ToolResult

VIDEO = "00112233445566aa"
SCRIPT = """</script><script>document.title="run"</script><img src=x onerror='document.title="run"'>"""


def write_hostile_trace(folder: Path) -> tuple[RecordedTrace, LibraryStore]:
    """The trace, and the library of the video, whose file is gone: ten seconds, a picture for each."""
    library = LibraryStore(folder)
    store = library.layers(VIDEO)
    said = {"start": 1.0, "end": 3.0, "text": SCRIPT}
    layers = [
        write_keyframes(store, [flat((20, 20, 180), 320, 180)] * 10),
        write_layer(store, "subtitles", {**said, "language": "en", "source": "a.vtt"}),
    ]
    record = VideoRecord(id=VIDEO, name=f"{SCRIPT}.mp4", path="/gone/a.mp4", size=1, modified=1, duration=10.0)
    library.save(record.model_copy(update={"layers": {layer.name: layer.key for layer in layers}}))
    trace = Trace(library.trace_root)
    _write(trace)
    return RecordedTrace(library.trace_root, trace.run), library


def _write(trace: Trace) -> None:
    evidence = Moment(video=VIDEO, span=TimeSpan(start=1, end=3), modality="scene_text", text=SCRIPT, engine="e")
    citation = Citation.of(evidence)
    now, arguments = time.time(), {"query": SCRIPT, SCRIPT: [SCRIPT]}
    reading = Reading(sources={"text": 1.0}, targets={"quote": 1.0})
    query = Query(question=SCRIPT, reading=reading, names={VIDEO: SCRIPT}, videos={VIDEO: 10.0}, as_asked=SCRIPT)
    found = Found(evidence=evidence, line=(evidence,), cosine=0.5)
    asked = {"question": SCRIPT, "options": [SCRIPT, SCRIPT], "videos": [VIDEO]}
    origin = {"run": SCRIPT, "step": 3, "set": arguments}
    trace.event("run", started=now, given=asked, result=load().model_dump(mode="json"), data={"forked_from": origin})
    trace.event("orient", started=now, parent=0, result=query.model_dump(mode="json"))
    trace.event("brief", started=now, parent=0, result=Gathered(found=(found,)).model_dump(mode="json"))
    model = trace.event(
        "model",
        started=now,
        given={"messages": [message_to_dict(HumanMessage(SCRIPT))], "tools": []},
        result=message_to_dict(AIMessage(SCRIPT)),
        data={"repairs": [SCRIPT], "calls": [{"tool": SCRIPT, "arguments": arguments}]},
    )
    trace.event(
        "tool",
        started=now,
        parent=model,
        given={"tool": SCRIPT, "arguments": SCRIPT},
        result=ToolResult(tool=SCRIPT, output={SCRIPT: SCRIPT}, evidence=(evidence,)).model_dump(mode="json"),
        data={"tool": SCRIPT, "call": "call-0-0", "arguments": arguments, "notes": [SCRIPT]},
        spans=[(VIDEO, 1.0, 3.0)],
    )
    trace.event("guard", started=now, parent=model, data={"guard": SCRIPT})
    claim = Claim(text=SCRIPT, verdict="supported", citations=(citation,), against=(citation,))
    answer = Answer(
        question=SCRIPT, status="answered", answer=f"{SCRIPT} [00:00:01]", citations=(citation,), claims=(claim,)
    )
    trace.event("answer", started=now, parent=model, result=answer.model_dump(mode="json"), data={"status": "answered"})
    trace.close()
