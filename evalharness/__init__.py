"""The evaluation harness: suites put to subjects, judged, scored and reported."""
