"""Tables as people have them: the right columns, by nothing of the planner's."""

import datetime
import re
from fractions import Fraction

MISSING = {"", "NA", "N/A", "NaN", "nan", "null", "None", "?"}
NUMBER = re.compile(r"[-+]?(0[xX][0-9a-fA-F]+|(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?)$", re.ASCII)
PLAIN = re.compile(r"[-+]?(\d+)?\.?(\d*)$", re.ASCII)


class Refuse(Exception):
    """There's no answer: the program or a row has to be refused."""


def records(text):
    """Rows of (text, quoted) cells, with the line on which each begins."""
    head = re.sub(r'"[^"]*"', "", text.split("\n", 1)[0])
    comma = max(",;\t", key=head.count)
    row, at, line, begun = [], 0, 1, 1
    while at < len(text):
        if text[at] == '"':
            end = at + 1
            while True:
                end = text.find('"', end)
                if end < 0:
                    raise Refuse("a quote that isn't closed")
                if text[end + 1 : end + 2] != '"':
                    break
                end += 2
            cell, quoted, end = text[at + 1 : end].replace('""', '"'), True, end + 1
            line += cell.count("\n")
        else:
            end = at
            while end < len(text) and text[end] not in comma + "\n":
                end += 1
            cell, quoted = text[at:end], False
        row.append((cell.strip(), quoted))
        at = end + 1
        if end >= len(text) or text[end] == "\n":
            yield begun, row
            line += 1
            row, begun = [], line
        elif at >= len(text):
            row.append(("", False))
            yield begun, row


def number(text):
    """The number that a cell is, or None."""
    if not NUMBER.match(text):
        return None
    sign, magnitude = (-1 if text[0] == "-" else 1), text.lstrip("+-")
    return sign * (Fraction(int(magnitude, 16)) if magnitude[:2] in ("0x", "0X") else Fraction(magnitude))


def date(text):
    try:
        parsed = datetime.date.fromisoformat(text) if re.match(r"\d{4}-\d\d-\d\d$", text) else None
    except ValueError:
        return None
    return parsed and Fraction((parsed - datetime.date(1970, 1, 1)).days)


def truth(text):
    return {"true": Fraction(1), "false": Fraction(0)}.get(text.lower())


class Text:
    """A column of text."""

    def __init__(self, texts):
        self.texts = texts


def read(request):
    """The columns, and the number of rows."""
    lines = list(records(request["csv"].replace("\r\n", "\n")))
    names = [cell for cell, _ in lines[0][1]]
    body = lines[1:]
    while body and len(names) > 1 and body[-1][1] == [("", False)]:
        body.pop()
    for line, row in body:
        if len(row) != len(names):
            raise Refuse(f"line {line} has {len(row)} cells")
    policy, wanted = request["missing"], request["columns"]
    cells = {name: [row[names.index(name)] for _, row in body] for name in wanted}
    is_text = {}
    for name, column in cells.items():
        known = [cell for cell, quoted in column if cell not in MISSING or quoted and cell]
        numbers = all(map(NUMBER.match, known))
        digits = all(re.fullmatch(r"[0-9]+", cell) for cell in known)
        zeros = digits and any(re.match(r"0[0-9]", cell) for cell in known)
        is_text[name] = bool(known) and not (
            numbers and not zeros or all(date(c) is not None for c in known) or all(truth(c) is not None for c in known)
        )

    def misses(name, row):
        cell, quoted = cells[name][row]
        return cell == "" or cell in MISSING and not (quoted and is_text[name])

    rows = list(range(len(body)))
    if policy == "mask":
        rows = [row for row in rows if not any(misses(name, row) for name in wanted)]
        if not rows:
            raise Refuse("no row is left")
    if not rows:
        raise Refuse("there are no rows")
    columns = {}
    for name in wanted:
        gaps = [misses(name, row) for row in rows]
        if any(gaps) and (policy == "refuse" or is_text[name]):
            raise Refuse(f"a value of {name} is missing")
        texts = [cells[name][row][0] for row in rows]
        if is_text[name]:
            columns[name] = Text(texts)
            continue
        values, places = [], 0
        for gap, text in zip(gaps, texts):
            value = Fraction(0) if gap else next((v for f in (number, date, truth) if (v := f(text)) is not None), None)
            if value is None:
                raise Refuse(f"{text} in a column of other kinds")
            if not gap and (plain := PLAIN.match(text)):
                places = max(places, len(plain[2]) if "." in text else 0)
            if name in request["doubles"]:
                value = Fraction(float(value))
            values.append(value)
        if any(gaps) and policy == "mean":
            known = [value for gap, value in zip(gaps, values) if not gap]
            if not known:
                raise Refuse("a mean of no values")
            mean = sum(known) / len(known)
            if name not in request["doubles"]:
                unit = 1 if all(value.denominator == 1 for value in known) else 10**places
                mean = Fraction((abs(mean) * unit * 2 + 1) // 2 * (1 if mean > 0 else -1), unit)
            values = [mean if gap else value for gap, value in zip(gaps, values)]
        columns[name] = values
    return columns, len(rows)
