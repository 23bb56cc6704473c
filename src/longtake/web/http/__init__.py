"""HTTP infrastructure of the routes: access, limits, caching, errors and the server."""
