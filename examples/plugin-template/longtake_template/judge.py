"""A judge: a reply is right if it contains the reference."""

from longtake.evalharness.judges.judge_table import JudgeOptions
from longtake.evalharness.judges.judging import Case, Finding


class Contains:
    """Implements `Judge`. Any callable that takes `JudgeOptions` can be declared."""

    id = "contains-1"  # change it with the verdicts: cases decided under this id aren't judged again
    at_once = 1

    def __init__(self, options: JudgeOptions) -> None:
        """Take the options of the command line."""

    def judge(self, case: Case) -> Finding:
        """Decide a case. A judge that can't decide says why, and the run continues."""
        if case.asks not in ("whole", "criterion"):
            return Finding(met=None, error=f"contains can't judge a {case.asks}.")
        return Finding(met=case.description.lower() in case.said.lower())
