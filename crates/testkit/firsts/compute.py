#!/usr/bin/env python3
"""Computes the right results of the programs in sql.txt, pandas.txt, dplyr.txt and excel.txt, and checks those files.

Needs Python 3.11. Columns are exact fractions, and functions with irrational results have 50 digits. If duckdb and pandas are
installed, the lines `from:` of sql.txt and pandas.txt are run too, and their results compared with the expected ones.

    python3 compute.py            checks the files: "300 programs, 0 differ"
    python3 compute.py --write    writes the results into the files
"""

import datetime
import decimal
import math
import re
import sys
from decimal import Decimal
from fractions import Fraction

from arithmetic import HERE, read_table, real
from values import dplyr, excel, pandas, sql

TOOLS = ["sql", "pandas", "dplyr", "excel"]
RESULTS = ("kind", "expect", "tool")
PROGRAMS = {"sql": sql.VALUES, "pandas": pandas.VALUES, "dplyr": dplyr.VALUES, "excel": excel.VALUES}


def exact(x):
    """Returns the decimals of a fraction, or p/q if they do not end."""
    x = Fraction(x)
    rest, twos, fives = x.denominator, 0, 0
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    if rest != 1:
        return f"{x.numerator}/{x.denominator}"
    places = max(twos, fives)
    digits = str(abs(x.numerator) * 10**places // x.denominator).rjust(places + 1, "0")
    text = digits if places == 0 else digits[:-places] + "." + digits[-places:]
    return ("-" if x < 0 else "") + text


def approximate(x):
    """Returns 12 significant digits."""
    x = real(x)
    if x == 0:
        return "0"
    return str(+decimal.Context(prec=12).create_decimal(x).normalize())


def number(x):
    if isinstance(x, datetime.date):
        return Fraction((x - datetime.date(1970, 1, 1)).days)
    return x if isinstance(x, Decimal) else Fraction(x)


def column(result):
    values = result if isinstance(result, list) else [result]
    return [None if v is None else number(v) for v in values]


def text_of(values, is_exact):
    return ", ".join("" if v is None else exact(v) if is_exact else approximate(v) for v in values)


def read_programs(tool):
    """Returns the programs of a file, each a list of (field, text)."""
    programs = []
    for line in (HERE / f"{tool}.txt").read_text().splitlines():
        if line.startswith("# ") and not (
            programs and programs[-1][-1][0] == "program" and programs[-1][-1][1] is None
        ):
            programs.append([("title", line[2:])])
        elif not line.strip() or not programs:
            continue
        elif match := re.match(r"(table|from|arguments|program|kind|expect|tool|note):(?: (.*))?$", line):
            programs[-1].append((match[1], match[2] or ""))
        else:
            field, text = programs[-1][-1]
            assert field == "program", f"{tool}.txt: {line}"
            programs[-1][-1] = (field, f"{text}\n{line}" if text else line)
    return programs


def outputs(program):
    """Returns the outputs of the program's text: its names without `_`."""
    text = dict(program)["program"]
    names = [m[1] for line in text.splitlines() if (m := re.match(r"\s*([^\W\d]\w*)\s*=(?!=)", line))]
    return [name for name in names if not name.startswith("_")]


def results(program, expressions):
    """Returns the fields of the right results."""
    table = read_table(dict(program)["table"])
    values = {name: column(e(table)) for name, e in expressions.items()}
    is_exact = not any(isinstance(v, Decimal) for vs in values.values() for v in vs)
    fields = [("kind", "exact" if is_exact else "approximate")]
    for name, vs in values.items():
        field, name = ("tool", name[5:]) if name.startswith("tool ") else ("expect", name)
        fields.append((field, f"{name} = {text_of(vs, is_exact)}"))
    return fields, values


def flat(result):
    """Returns the numbers of a result of duckdb or pandas as a list."""
    if hasattr(result, "tolist"):
        result = result.tolist()
    if isinstance(result, (list, tuple)):
        return [v for part in result for v in flat(part)]
    if isinstance(result, datetime.datetime):
        result = result.date()
    if isinstance(result, datetime.timedelta):
        result = result.days
    if result is None or (isinstance(result, float) and math.isnan(result)):
        return [None]
    return [number(Fraction(str(result))) if isinstance(result, float) else number(result)]


def run_sql(query, table):
    import duckdb

    connection = duckdb.connect()
    connection.execute(
        f"CREATE TABLE {table} AS SELECT * FROM read_csv('{HERE}/tables/{table}.csv', nullstr=['', 'NA'])"
    )
    rows = connection.execute(query).fetchall()
    return [v for values in zip(*rows) for v in flat(list(values))]


def run_pandas(expression, table):
    import numpy
    import pandas

    frame = pandas.read_csv(HERE / "tables" / f"{table}.csv", keep_default_na=False, na_values=["", "NA"])
    for name in frame:
        if re.fullmatch(r"\d{4}-\d{2}-\d{2}", str(frame[name].iloc[0])):
            frame[name] = pandas.to_datetime(frame[name])
    return flat(eval(expression, {"df": frame, "np": numpy, "pd": pandas}))


def agrees(tool, program, values):
    """Returns whether the user's own tool has these results."""
    run = {"sql": run_sql, "pandas": run_pandas}.get(tool)
    if run is None:
        return True
    fields = dict(program)
    try:
        theirs = run(fields["from"], fields["table"])
    except ImportError:
        return True
    ours = [v for name in values if not name.startswith("tool ") for v in values.get(f"tool {name}", values[name])]
    if len(ours) != len(theirs):
        print(f"  {len(ours)} values, but the tool has {len(theirs)}")
        return False
    for a, b in zip(ours, theirs):
        if (a is None) != (b is None) or a is not None and not math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9):
            print(f"  {a and float(a)}, but the tool has {b and float(b)}")
            return False
    return True


def main():
    write = "--write" in sys.argv
    count = differing = 0
    for tool in TOOLS:
        if not (HERE / f"{tool}.txt").exists():
            continue
        programs, lines = read_programs(tool), []
        titles = [dict(p)["title"] for p in programs]
        assert len(set(titles)) == len(titles), f"{tool}.txt has a title twice"
        for unknown in set(PROGRAMS[tool]) ^ set(titles):
            print(f"{tool}: {unknown}: in one of {tool}.txt and compute.py only")
            differing += 1
        for program in programs:
            title = dict(program)["title"]
            if title not in PROGRAMS[tool]:
                continue
            count += 1
            computed, values = results(program, PROGRAMS[tool][title])
            written = [f for f in program if f[0] in RESULTS]
            problems = []
            names = [n for n in values if not n.startswith("tool ")]
            if not all(any(re.fullmatch(rf"{o}(_\w+)?", n) for n in names) for o in outputs(program)):
                problems.append("an output without a result")
            elif not agrees(tool, program, values):
                problems.append("the tool has other results")
            if not write and written != computed:
                problems.append(f"the file has {written}, but right is {computed}")
            if problems:
                differing += 1
                print(f"{tool}: {title}: {'; '.join(problems)}")
            if write:
                fields = [f for f in program if f[0] not in RESULTS]
                at = len(fields) - 1 if fields[-1][0] == "note" else len(fields)
                for field, text in fields[:at] + computed + fields[at:]:
                    if field == "title":
                        lines.append(f"\n# {text}")
                    elif field == "program":
                        lines.append(f"program:\n{text}")
                    else:
                        lines.append(f"{field}: {text}")
        if write:
            (HERE / f"{tool}.txt").write_text("\n".join(lines).lstrip("\n") + "\n")
    print(f"{count} programs, {differing} differ")
    return differing != 0


if __name__ == "__main__":
    sys.exit(main())
