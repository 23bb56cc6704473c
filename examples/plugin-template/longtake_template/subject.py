"""A subject: a baseline that repeats the question."""

from longtake.evalharness.items import Reply
from longtake.evalharness.subjects.subject import AskedTurn
from longtake.evalharness.subjects.subject_table import SubjectOptions


class Parrot:
    """Implements `Subject`. Any callable that takes `SubjectOptions` can be declared."""

    at_once = 1

    def __init__(self, options: SubjectOptions) -> None:
        """Take the options of the command line and the items of the suite."""
        self.name = options.name

    def reply(self, asked: AskedTurn) -> Reply:
        """Repeat the question, with its labelled options if any."""
        return Reply(text=asked.text)
