"""The controller that needs no language model: calls by a table, ranked candidates, an answer by target."""
