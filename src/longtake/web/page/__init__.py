"""The page of `longtake serve`: HTML, CSS and JavaScript modules that a browser loads as they lie here."""
