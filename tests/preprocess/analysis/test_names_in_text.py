"""Names by their capital letters, in languages that use them so and in others."""

from __future__ import annotations

import pytest

from longtake.preprocess.layers.entities import names_in


@pytest.mark.parametrize(
    ("lines", "names"),
    [
        (
            ["We met Anna Weber in Leeds.", "Then Anna said it was late.", "I'm sure that Leeds won."],
            {"Anna Weber", "Leeds"},
        ),
        (["The roof leaks. The roof is old.", "The rain came."], set()),
        (["das alte Haus steht am See", "und das Haus gehört Frau Müller", "der See ist tief"] * 9, {"Frau Müller"}),
        (["the lamp was repaired", "YEAR AT THE LIBRARY", "Brandon Castellano"], {"Brandon Castellano"}),
        (["NOW THE NEWS FROM THE NORTH", "THE NORTH IS COLD"], set()),
        (["we met anna in leeds", "anna said so"], set()),
        (["It was on Wednesday in May.", "Then Wednesday came, and May went, and Ana May stayed."], {"Ana May"}),
        (["Я видел Анну Каренину вчера.", "и она ушла"], {"Анну Каренину"}),
        (["去年我们去了北京。"], set()),
        (["Nos vimos el miércoles, y Miércoles otra vez, en casa de Ana Ruiz.", "y el Miércoles no."], {"Ana Ruiz"}),
        ([], set()),
    ],
)
def test_names_are_found(lines: list[str], names: set[str]) -> None:
    assert set(names_in(lines)) == names


def test_each_name_has_its_lines() -> None:
    found = names_in(["We asked Tom.", "No reply.", "Later we saw Tom, and Tom's dog."])
    assert found == {"Tom": [0, 2, 2]}
