"""The evaluation harness: asks suites of subjects, judges and scores their replies, and reports."""
