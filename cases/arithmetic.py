"""Arithmetic of expected values: `1/log2(3)`, `7/12`, `(3 + 2/log2(3)) / (3 + 2/log2(3) + 1/2)`.

Expressions are evaluated to 50 digits with the decimals of the standard library, or with other number types. The tests
evaluate them a second time with another library.

>>> str(evaluate("7/12 + 1/log2(4)"))[:12]
'1.0833333333'
>>> evaluate("exit()")
Traceback (most recent call last):
    ...
rankproof.cases.arithmetic.NotArithmetic: 'exit()': use only numbers, + - * / **, brackets, log2, ln and sqrt
>>> evaluate("1e999999999")
Traceback (most recent call last):
    ...
rankproof.cases.arithmetic.NotArithmetic: '1e999999999' has no value, or a value of more than 1,000 digits
"""

import ast
import math
import operator
import warnings
from collections.abc import Callable, Mapping
from decimal import Context, Decimal, DivisionByZero, InvalidOperation, Overflow, Underflow, localcontext
from types import MappingProxyType
from typing import Any

from rankproof.reference_impl.shown import shortened
from rankproof.reference_impl.unusable import Unusable

DIGITS = 50
LONGEST = 1_000
"""Maximum number of characters of the text, which limits how deep it can be nested, and of digits of a value."""
# Values that are too large or too close to 0 raise an exception instead of being cut to another value.
_CONTEXT = Context(
    prec=DIGITS + 10, Emax=LONGEST, Emin=-LONGEST, traps=[DivisionByZero, InvalidOperation, Overflow, Underflow]
)
_OPERATORS: Mapping[type[ast.AST], Callable[..., Any]] = MappingProxyType(
    {
        ast.Add: operator.add,
        ast.Sub: operator.sub,
        ast.Mult: operator.mul,
        ast.Div: operator.truediv,
        ast.Pow: operator.pow,
        ast.USub: operator.neg,
        ast.UAdd: operator.pos,
    },
)
FUNCTIONS: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {
        "log2": lambda x: _CONTEXT.divide(_CONTEXT.ln(x), _CONTEXT.ln(Decimal(2))),
        "ln": _CONTEXT.ln,
        "sqrt": _CONTEXT.sqrt,
    },
)


class NotArithmetic(Unusable):
    """Text that is not arithmetic."""


def evaluate(
    text: str,
    number: Callable[[str], Any] = _CONTEXT.create_decimal,
    functions: Mapping[str, Callable[..., Any]] = FUNCTIONS,
) -> Any:
    """Evaluate an arithmetic expression; `number` converts its literals.

    Raises:
        NotArithmetic: the text has other parts than numbers, operators, brackets and known functions, or has no value.
    """
    if len(text) > LONGEST:
        raise NotArithmetic(f"{shortened(text)!r} has more than {LONGEST:,} characters")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", SyntaxWarning)  # Python would print a warning for `1if`
            tree = ast.parse(text.strip(), mode="eval").body
        with localcontext(_CONTEXT):
            value = _value(tree, text, number, functions)
    except NotArithmetic:
        raise
    except (ArithmeticError, ValueError, TypeError) as error:
        raise _valueless(text) from error
    except (SyntaxError, RecursionError, MemoryError) as error:
        raise _refused(text) from error
    if not -math.inf < value < math.inf:
        raise _valueless(text)
    return value


def _value(node: ast.expr, text: str, number: Callable[[str], Any], functions: Mapping[str, Callable[..., Any]]) -> Any:
    def value_of(part: ast.expr) -> Any:
        return _value(part, text, number, functions)

    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return number(_literal(text.strip(), node))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            return _OPERATORS[type(op)](value_of(left), value_of(right))
        case ast.UnaryOp(op=op, operand=operand) if type(op) in _OPERATORS:
            return _OPERATORS[type(op)](value_of(operand))
        case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]) if name in functions:
            return functions[name](value_of(argument))
    raise _refused(text)


def _literal(text: str, node: ast.expr) -> str:
    """Return the source text of a number."""
    if text.isascii() and text.isprintable():  # in one line, the columns of the node are indexes of the text
        return text[node.col_offset : node.end_col_offset]
    return ast.get_source_segment(text, node) or ""


def _valueless(text: str) -> NotArithmetic:
    return NotArithmetic(f"{shortened(text)!r} has no value, or a value of more than {LONGEST:,} digits")


def _refused(text: str) -> NotArithmetic:
    return NotArithmetic(f"{shortened(text)!r}: use only numbers, + - * / **, brackets, log2, ln and sqrt")
