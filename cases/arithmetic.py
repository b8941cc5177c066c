"""Expected values are arithmetic: `1/log2(3)`, `7/12`, `(3 + 2/log2(3)) / (3 + 2/log2(3) + 1/2)`.

They are evaluated at 50 digits with the standard library's decimals, or with any other numbers that are handed in (the tests
do it a second time, with another library's).

>>> str(evaluate("7/12 + 1/log2(4)"))[:12]
'1.0833333333'
>>> evaluate("exit()")
Traceback (most recent call last):
    ...
rankproof.cases.arithmetic.NotArithmetic: 'exit()': only numbers, + - * / **, brackets, log2, ln and sqrt
>>> evaluate("1e999999999")
Traceback (most recent call last):
    ...
rankproof.cases.arithmetic.NotArithmetic: '1e999999999': it has no value, or one of more than 1,000 digits
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
"""How many characters the text has at most, so that it is not nested without end, and how many digits a value has."""
# What does not fit is refused, be it too large or too near to 0: a value that was cut off unseen would be another one.
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
    """The text is no arithmetic."""


def evaluate(
    text: str,
    number: Callable[[str], Any] = _CONTEXT.create_decimal,
    functions: Mapping[str, Callable[..., Any]] = FUNCTIONS,
) -> Any:
    """The value of an arithmetic expression, in the numbers that `number` makes of literals.

    Raises:
        NotArithmetic: the text holds anything but numbers, operators, brackets and the known functions, or has no value.
    """
    if len(text) > LONGEST:
        raise NotArithmetic(f"{shortened(text)!r}: more than {LONGEST:,} characters")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", SyntaxWarning)  # `1if` is no number, and says so on stderr
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
    """A number as it is written."""
    if text.isascii() and text.isprintable():  # one line, of which a place is a place in the text
        return text[node.col_offset : node.end_col_offset]
    return ast.get_source_segment(text, node) or ""


def _valueless(text: str) -> NotArithmetic:
    return NotArithmetic(f"{shortened(text)!r}: it has no value, or one of more than {LONGEST:,} digits")


def _refused(text: str) -> NotArithmetic:
    return NotArithmetic(f"{shortened(text)!r}: only numbers, + - * / **, brackets, log2, ln and sqrt")
