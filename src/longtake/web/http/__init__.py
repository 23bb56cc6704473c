"""HTTP around the routes: access, limits, caching, errors and the server itself."""
