"""`longtake` as another version would be: `python -m` this module makes every layer with a higher version number."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

from longtake.cli.main import main
from longtake.memory.layers import LayerRecipe

if __name__ == "__main__":
    facts = LayerRecipe.facts

    def raised(recipe: LayerRecipe) -> dict[str, Any]:
        """The facts of the other version."""
        return facts(recipe) | {"version": recipe.version + 1}

    with patch.object(LayerRecipe, "facts", raised):
        main()
