"""A judge: a reply is right where it holds the reference."""

from longtake.evalharness.judges.judge import Case, Finding
from longtake.evalharness.judges.judge_table import JudgeOptions


class Contains:
    """Meets `Judge`; whatever makes one of `JudgeOptions` can be declared."""

    id = "contains-1"  # change it with the verdicts: what a judge of this id decided is not judged again
    at_once = 1

    def __init__(self, options: JudgeOptions) -> None:
        """The options are those of the command line."""

    def judge(self, case: Case) -> Finding:
        """A judge that cannot decide says why, and the run goes on."""
        if case.asks not in ("whole", "criterion"):
            return Finding(met=None, error=f"contains cannot judge a {case.asks}.")
        return Finding(met=case.description.lower() in case.said.lower())
