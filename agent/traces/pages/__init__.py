"""The page of a trace: its template, style, and the modules it doesn't share with `longtake serve`."""
