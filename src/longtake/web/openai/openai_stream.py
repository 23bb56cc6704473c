"""What a stream sends of an answer: the text as it is written, then what the check of it has found.

A stream can't take back what it has sent. A second draft follows the first one under a heading, and statements that the
video doesn't show, which the text of the whole answer marks, are listed at the end.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from longtake.agent.drafts.draft import ANSWER
from longtake.agent.drafts.publishing import FLAGS, marks
from longtake.memory.records import Answer
from longtake.web.event_feed import FeedEvent

CORRECTED = "Corrected after a check against the video:"
IN_FULL = "The answer in full:"
CHECKED = "After a check against the video:"
HELD = 160  # characters of a text that are kept until it is clear that it is no remark before a call of tools
_REST = 300  # characters at most that may be added to a text; else the answer follows in full
_MARK = re.compile(r"\s*\[[^\[\]]*\d:\d\d[^\[\]]*\]")
_FLAG = re.compile(rf"\s*(?:{'|'.join(map(re.escape, FLAGS.values()))})")


class Streamed:
    """The text that a stream has sent."""

    def __init__(self) -> None:
        self.text = ""
        self._number = 0  # of the draft that is being written
        self._draft = ""
        self._sent = ""  # of the last draft that was sent
        self._begun = self._judged = False

    def take(self, event: FeedEvent) -> str:
        """What to send after an event of the run."""
        if event.kind == "text":
            if event.data["draft"] != self._number:
                self._number, self._draft, self._begun = event.data["draft"], "", False
            self._draft += event.data["text"]
            return self._send() if len(self._draft) > HELD else ""
        if event.kind != "step":
            return ""
        step = event.data
        self._judged = self._judged or step["type"] == "judge"
        if step["type"] != "model" or step.get("tool"):
            return ""
        if any(call["tool"] != ANSWER for call in step.get("calls", ())):
            self._draft = "" if not self._begun else self._draft
            return ""
        return self._send()

    def end(self, answer: Answer, names: Mapping[str, str]) -> str:
        """What to send last, with the names of several videos."""
        rest = answer.answer if not self.text else self._rest(answer, names)
        self.text += rest
        return rest

    def _send(self) -> str:
        """What isn't sent yet of the draft."""
        if not self._draft:
            return ""
        lead = ""
        if not self._begun:
            self._sent = ""
            lead = "" if not self.text else f"\n\n{CORRECTED}\n\n" if self._judged else "\n\n"
        piece = lead + self._draft[len(self._sent) :]
        self._begun, self._judged, self._sent = True, self._judged and not lead, self._draft
        self.text += piece
        return piece

    def _rest(self, answer: Answer, names: Mapping[str, str]) -> str:
        whole, sent = _bare(answer.answer), _bare(self._sent)
        if not whole.startswith(sent) or len(whole) - len(sent) > _REST:
            judged = self._judged and not answer.controller_error
            return f"\n\n{CORRECTED if judged else IN_FULL}\n\n{answer.answer}"
        missing = [mark.strip() for mark in _MARK.findall(answer.answer) if mark.strip() not in self._sent]
        times = f" {''.join(dict.fromkeys(missing))}" if missing else ""
        flagged = [f"\n- {claim.told}{marks(claim.against, names)}" for claim in answer.flagged]
        return f"{times}{whole[len(sent) :]}" + (f"\n\n{CHECKED}{''.join(flagged)}" if flagged else "")


def _bare(text: str) -> str:
    """A text without times, flags and line breaks."""
    return " ".join(_MARK.sub("", _FLAG.sub("", text)).split())
