"""Real solutions of an equation with one unknown: polynomials by factoring, the rest by inverting step by step.

`sympy.solve` isn't used: it rewrites x**3.14 = 2 as a polynomial of degree 314, and its cost can't be bounded.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy
from sympy.polys.polytools import NoConvergence

from longtake.tools.compute.algebra import bounded, degree, digits, expanded, is_real, power, write
from longtake.tools.core.result import ToolError

MAX_DEGREE = 16
MAX_DIGITS = 50  # of a coefficient
_DIGITS = 30  # of what is compared
INVERSES: dict[Any, Callable[[Any], tuple[Any, ...]]] = {
    sympy.Abs: lambda value: (value, -value),
    sympy.exp: lambda value: (sympy.log(value),),
    sympy.log: lambda value: (power(sympy.E, value),),
    sympy.sin: lambda value: (sympy.asin(value), sympy.pi - sympy.asin(value)),
    sympy.cos: lambda value: (sympy.acos(value), -sympy.acos(value)),
    sympy.tan: lambda value: (sympy.atan(value),),
    sympy.asin: lambda value: (sympy.sin(value),),
    sympy.acos: lambda value: (sympy.cos(value),),
    sympy.atan: lambda value: (sympy.tan(value),),
}


def solve(left: Any, right: Any) -> str:
    """The real solutions of `left = right`; without an unknown, whether it is true.

    For a trigonometric equation, the solutions of one turn are given.

    Raises:
        ToolError: if it has several unknowns or can't be solved in bounded time.
    """
    difference = expanded(bounded(left - right))
    unknowns = sorted(difference.free_symbols, key=str)
    if not unknowns:
        same = difference.is_zero if left.free_symbols else _equal(left, right)
        return "true" if same else "false"
    if len(unknowns) > 1:
        named = ", ".join(map(str, unknowns))
        raise ToolError("bad_arguments", f"expression: an equation needs one unknown, but this one has {named}.")
    if degree(difference)[0] > MAX_DEGREE or digits(difference) > MAX_DIGITS:
        raise ToolError("refused", f"An equation may have degree {MAX_DEGREE} and {MAX_DIGITS} digits at most.")
    roots = _roots(difference, unknowns[0])
    return ", ".join(f"{unknowns[0]} = {write(root)}" for root in roots) or "no real solution"


def _roots(difference: Any, unknown: Any) -> list[Any]:
    if difference.is_rational_function(unknown):
        found = _polynomial_roots(sympy.Poly(sympy.fraction(sympy.together(difference))[0], unknown))
    elif sum(node == unknown for node in sympy.preorder_traversal(difference)) == 1:
        found = [root for root in _undone(difference, unknown, sympy.Integer(0)) if _solves(difference, unknown, root)]
    else:
        raise ToolError("refused", f"This equation can't be solved: {unknown} must stand in one place only.")
    return sorted({root for root in found if is_real(root)}, key=sympy.N)


def _polynomial_roots(polynomial: Any) -> list[Any]:
    """Exact for factors up to degree 2, numeric beyond: exact root isolation took 12 s at degree 12."""
    rational = polynomial.domain.is_ZZ or polynomial.domain.is_QQ
    roots: list[Any] = []
    factors = [factor for factor, _ in polynomial.factor_list()[1]] if rational else [polynomial]
    for factor in factors:
        if not factor.degree():  # a constant over the unknown
            continue
        try:
            roots += _low_roots(factor) if factor.degree() <= 2 else factor.nroots(n=_DIGITS, maxsteps=200)
        except NoConvergence as error:
            raise ToolError("refused", "The solutions of this equation couldn't be separated.") from error
    return roots


def _low_roots(polynomial: Any) -> list[Any]:
    """By the formulas for degree 1 and 2; `sympy.roots` would first try to simplify irrational coefficients."""
    *square, first, constant = polynomial.all_coeffs()
    if not square:
        return [bounded(-constant / first)]
    [leading] = square
    discriminant = bounded(first**2 - 4 * leading * constant)
    if sympy.N(discriminant) < 0:
        return []
    return [bounded((sign * sympy.sqrt(discriminant) - first) / (2 * leading)) for sign in (-1, 1)]


def _undone(expression: Any, unknown: Any, value: Any) -> list[Any]:
    """The possible values of the unknown, which occurs once in the expression, if the expression has this value."""
    if expression == unknown:
        return [value]
    [inner] = [part for part in expression.args if part.has(unknown)]
    others = [part for part in expression.args if part is not inner]
    if expression.is_Add:
        values: tuple[Any, ...] = (value - sympy.Add(*others),)
    elif expression.is_Mul:
        values = (value / sympy.Mul(*others),)
    elif expression.is_Pow and inner == expression.base:
        root = power(value, 1 / expression.exp) if value else value
        values = (root, -root)
    elif expression.is_Pow:
        values = (sympy.log(value) / sympy.log(expression.base),)
    else:
        values = INVERSES[expression.func](value)
    return [root for each in values if is_real(each) for root in _undone(inner, unknown, bounded(each))]


def _solves(difference: Any, unknown: Any, root: Any) -> bool:
    """Whether a root is genuine: inverting a power or an absolute value may invent some."""
    return _equal(difference.evalf(_DIGITS, subs={unknown: root}), sympy.Integer(0))


def _equal(left: Any, right: Any) -> bool:
    if left.is_Rational and right.is_Rational:
        return bool(left == right)
    near, other = sympy.N(left, _DIGITS), sympy.N(right, _DIGITS)
    return bool(abs(near - other) <= sympy.Float("1e-20") * max(1, abs(near), abs(other)))
