"""The tools a controller can call, and the catalogue of them."""
