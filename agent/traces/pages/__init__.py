"""The page of a trace: its template, its style and the modules that it does not share with `longtake serve`."""
