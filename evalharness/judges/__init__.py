"""Judges that decide whether a reply meets a criterion: models at an endpoint, and rules that work offline."""
