"""Records what a language model says in Longtake's loop, and replays it against the code of today."""
