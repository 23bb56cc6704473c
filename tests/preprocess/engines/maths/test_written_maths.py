"""Formulas in lines of recognised text, and everyday writing that looks like them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longtake.preprocess.engines.maths.maths import Formula
from longtake.preprocess.engines.maths.written_maths import WrittenMaths
from longtake.settings import Settings

ENGINE = WrittenMaths(Settings())


def plain(line: str) -> list[str]:
    return [formula.plain for formula in ENGINE.find(line)]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("37x12+56= ？", "37*12 + 56"),
        ("37 × 12 + 56 =", "37*12 + 56"),
        ("３７＊（１２＋１）", "37*(12 + 1)"),
        ("3 x (4+1)", "3*(4 + 1)"),
        ("12 ÷ 4", "12/4"),
        ("100,000 − 5 = 99,995", "100000 - 5 = 99995"),
        ("2x + 3 = 11", "2*x + 3 = 11"),
        ("x² − 5x + 6 = 0", "x**2 - 5*x + 6 = 0"),
        ("2^10 = 1024", "2**10 = 1024"),
        ("2¹⁰", "2**(10)"),
        ("E = mc²", "E = m*c**2"),
        ("b² - 4ac", "b**2 - 4*a*c"),
        ("(a+b)² = a² + 2ab + b²", "(a + b)**2 = a**2 + 2*a*b + b**2"),
        ("y = mx + b", "y = m*x + b"),
        ("PV = nRT", "P*V = n*R*T"),
        ("A = πr²", "A = pi*r**2"),
        ("f(x) = x² + 1", "f(x) = x**2 + 1"),
        ("sin²x + cos²x = 1", "sin(x)**2 + cos(x)**2 = 1"),
        ("sin 2x = 2 sin x cos x", "sin(2*x) = 2*sin(x)*cos(x)"),
        ("√16 + 9 = ?", "sqrt(16) + 9"),
        ("√(16 + 9)", "sqrt(16 + 9)"),
        ("|x − 2| = 5", "abs(x - 2) = 5"),
        ("½ + ¼ = ¾", "(1/2) + (1/4) = (3/4)"),
        ("5! = 120", "5! = 120"),
        ("1+1=2!", "1 + 1 = 2"),
        ("15% of 240 = 36", "15/100*240 = 36"),
        ("x ≤ 5", "x <= 5"),
        ("x = −5", "x = -5"),
        ("- 37+5", "37 + 5"),
        ("1O + 2O5 = 215", "10 + 205 = 215"),
        ("l.5 + 1l2 = 113.5", "1.5 + 112 = 113.5"),
    ],
)
def test_a_formula_is_read_into_the_calculators_signs(line: str, found: str) -> None:
    assert plain(line) == [found]


def test_letters_stay_letters_where_a_letter_can_stand() -> None:
    assert plain("I1 + I2 = 3") == ["I1 + I2 = 3"]
    assert plain("2l + 3 = 5") == ["2*l + 3 = 5"]


def test_formulas_among_words_are_found_with_their_place() -> None:
    assert ENGINE.find("Solve 2x + 3 = 11, so that x = 4.") == [
        Formula("2x + 3 = 11", "2*x + 3 = 11"),
        Formula("x = 4", "x = 4"),
    ]
    assert plain("Compute 37 × 12 + 56 now") == plain("Compute37×12+56") == ["37*12 + 56"]


@pytest.mark.parametrize(
    "line",
    [
        *("12/05/2024", "2024-05-12", "12.05.2024", "10-12 May 2024", "12:30 - 13:00", "01:00:21:12"),
        *("v1.2.3", "Python 3.11-3.12", "192.168.0.1", "ISBN 978-3-16-148410-0", "COVID-19", "B-52 + crew"),
        *("555-123-4567", "+44 20 7946 0958", "+1 (555) 123-4567", "$249", "$1,200/mo", "$5 + $3 shipping", "€5-€10"),
        *("24/7", "50/50", "page 3/10", "4/4", "3-1", "2-0 (1-0)", "20-30%", "1920x1080", "1920×1080", "4x4"),
        *("10x faster", "C++", "18+", "A+", "A + B", "Q&A", "5*", "Only 5!", "100 m²", "2nd + 3rd", "TCP/IP", "x-axis"),
        *("https://a.b/1+2=3", "mail1+2=3@x.org", "<b>5</b>", "i++", "x += 1", "File > Open", "5 > 3", "A > B"),
        *("1 = yes, 0 = no", "A = Apple", "VAT = 20%", "fps = 30", "BMI = 22", "IN + 5", "Section A + 2 more"),
        *(
            "Frame = 11, PTS = 1.0s",
            "3 h + 20 min",
            "- 3 apples",
            "pan = yaw",
            "$5 + 3 free",
            "the 3+4th",
            "COVID-19+2",
            "a = an apple",
            "",
        ),
    ],
)
def test_everyday_writing_is_no_formula(line: str) -> None:
    assert plain(line) == []


@given(st.text(alphabet="0123xyfl()|+-*/^=<>√² sin%!?,.:$½×abc", max_size=400))
@settings(max_examples=200, deadline=2_000, derandomize=True)
def test_any_line_is_read_in_time_and_what_is_found_stands_in_it(line: str) -> None:
    assert all(formula.seen and formula.seen in line for formula in ENGINE.find(line))


def test_brackets_without_end_are_given_up() -> None:
    assert plain("(" * 400) == plain("|" * 400) == plain("√" * 400) == []
