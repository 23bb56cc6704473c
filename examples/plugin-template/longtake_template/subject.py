"""A subject: a baseline that repeats the question."""

from longtake.evalharness.items import Reply
from longtake.evalharness.subjects.subject import Asked
from longtake.evalharness.subjects.subject_table import SubjectOptions


class Parrot:
    """Meets `Subject`; whatever makes one of `SubjectOptions` can be declared."""

    at_once = 1

    def __init__(self, options: SubjectOptions) -> None:
        """The options are those of the command line, and the items of the suite."""
        self.name = options.name

    def reply(self, asked: Asked) -> Reply:
        """The question, with its labelled options where it has some."""
        return Reply(text=asked.text)
