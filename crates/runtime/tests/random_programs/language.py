"""The language of programs: its trees, by nothing of the planner's."""

import re
from fractions import Fraction

from reading import Refuse

TOKEN = re.compile(
    r"""(?P<space>[ \t\r\f]+|\#[^\n]*|\\\r?\n)|(?P<line>\n)|(?P<column>`[^`\n]*`)|(?P<text>'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*")
    |(?P<number>0[xX][0-9a-fA-F_]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][-+]?\d+)?)|(?P<name>@?[^\W\d]\w*)
    |(?P<sign>\*\*|//|<=|>=|==|!=|[-+*/%<>=()\[\],])""",
    re.X,
)


def tokens(text):
    at, depth = 0, 0
    while at < len(text):
        match = TOKEN.match(text, at)
        if not match:
            raise Refuse(f"unexpected {text[at]}")
        kind, word, at = match.lastgroup, match[0], match.end()
        depth += (word in ("(", "[")) - (word in (")", "]")) if kind == "sign" else 0
        if kind == "space" or kind == "line" and depth:
            continue
        yield kind, word
    yield "line", "\n"


class Parser:
    """Trees of tuples: (operator, operands…)."""

    def __init__(self, text):
        self.tokens, self.at = list(tokens(text)), 0

    def next_is(self, *words):
        kind, word = self.tokens[self.at]
        return kind in ("sign", "name") and word in words

    def take(self, *words):
        if not self.next_is(*words):
            return None
        self.at += 1
        return self.tokens[self.at - 1][1]

    def need(self, word):
        if not self.take(word):
            raise Refuse(f"{word} was expected, not {self.tokens[self.at][1]!r}")

    def program(self):
        while self.at < len(self.tokens):
            kind, word = self.tokens[self.at]
            self.at += 1
            if kind == "line":
                continue
            self.need("=")
            yield word, self.choice()
            if self.tokens[self.at][0] != "line":
                raise Refuse(f"{self.tokens[self.at][1]} after an expression")

    def choice(self):
        chosen = self.either()
        if not self.take("if"):
            return chosen
        condition = self.either()
        self.need("else")
        return ("call", "where", [condition, chosen, self.choice()])

    def binary(self, operators, operand):
        left = operand()
        while sign := self.take(*operators):
            left = (sign, left, operand())
        return left

    def either(self):
        return self.binary(("or",), self.both)

    def both(self):
        return self.binary(("and",), self.neither)

    def neither(self):
        return ("not", self.neither()) if self.take("not") else self.comparisons()

    def comparisons(self):
        left, all_hold = self.sum(), None
        while sign := self.take("<", "<=", ">", ">=", "==", "!="):
            right = self.sum()
            holds = (sign, left, right)
            all_hold = ("and", all_hold, holds) if all_hold else holds
            left = right
        return all_hold or left

    def sum(self):
        return self.binary(("+", "-"), self.product)

    def product(self):
        return self.binary(("*", "/", "//", "%"), self.signed)

    def signed(self):
        if self.take("-"):
            return ("-", ("number", Fraction(0)), self.signed())
        return self.signed() if self.take("+") else self.power()

    def power(self):
        base = self.atom()
        return ("**", base, self.signed()) if self.take("**") else base

    def items(self, close):
        items = []
        while not self.take(close):
            items.append(self.choice())
            if not self.take(","):
                self.need(close)
                break
        return items

    def atom(self):
        kind, word = self.tokens[self.at]
        self.at += 1
        if kind == "number":
            word = word.replace("_", "")
            return ("number", Fraction(int(word, 16)) if word[:2] in ("0x", "0X") else Fraction(word))
        if kind == "column":
            return ("column", word[1:-1].strip())
        if kind == "text":
            return ("text", re.sub(r"\\(.)", r"\1", word[1:-1]))
        if kind == "name":
            return ("call", word, self.items(")")) if self.take("(") else ("name", word)
        if word == "(":
            value = self.choice()
            self.need(")")
            return value
        if word == "[":
            return ("list", self.items("]"))
        raise Refuse(f"a value was expected, not {word!r}")
