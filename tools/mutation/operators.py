# SPDX-License-Identifier: Apache-2.0
"""The operators of mutation: which small changes of a unit's text are tried."""

import dataclasses
import re

MESSAGES = re.compile(r"(dev|pr|pci)_(err|warn|info|dbg|notice|crit)(_once|_ratelimited)?$|printk$"
                      r"|seq_(printf|puts|putc)$|(dev_)?WARN\w*$|BUILD_BUG_ON\w*$|static_assert$|lockdep_\w+$"
                      r"|might_sleep$")
MASKS = {"GENMASK", "GENMASK_ULL"}
BITS = {"BIT", "BIT_ULL"}
INVERSE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
WEAKER = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
ARITHMETIC = {"+": "-", "-": "+", "*": "+", "/": "*", "%": "/", "+=": "-=", "-=": "+=", "++": "--", "--": "++"}
BITWISE = {"&": "|", "|": "&", "^": "&", "&=": "|=", "|=": "&="}
SHIFTS = {"<<": ">>", ">>": "<<", "<<=": ">>=", ">>=": "<<="}
BINARY = {*INVERSE, "+", "-", "*", "/", "%", *BITWISE, *SHIFTS, "&&", "||"}
ASSIGNMENTS = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="}
KEYWORDS = {"return", "case", "sizeof", "else", "goto", "if", "while", "for", "switch", "do"}
INDICES = {"i", "j", "k", "n", "d", "idx"}
NUMBER = re.compile(r"(0[xX][0-9a-fA-F]+|\d+)([uUlL]*)$")
FORMAT = re.compile(r'"(config\d*:)(\d+)(?:-(\d+))?"$')


@dataclasses.dataclass(frozen=True)
class Edit:
    """The text from start to end becomes replacement."""
    operator: str
    start: int
    end: int
    replacement: str


def text_between(source, tokens, first, last):
    return source[tokens[first].start:tokens[last].end]


def numbers_beside(text):
    """The number one more, and one less, in the same notation. Octal numbers are modes of files and give nothing."""
    text = text.replace("'", "")
    found = NUMBER.match(text)
    if not found or re.match(r"0\d", text):
        return []
    digits, suffix = found.groups()
    value = int(digits, 0)
    if digits[:2] in ("0x", "0X"):
        return [f"{number:#0{len(digits)}x}{suffix}" for number in (value + 1, value - 1) if number >= 0]
    return [f"{number}{suffix}" if number >= 0 else f"({number}{suffix})" for number in (value + 1, value - 1)]


def is_binary(unit, index):
    """Is the operator at index one of two operands?"""
    tokens = unit.tokens
    if index == 0:
        return False
    before = tokens[index - 1]
    if before.text in KEYWORDS:
        return False
    if tokens[index].text == "*" and not unit.cpp:  # or it declares a pointer
        return before.kind == "number" or before.text in (")", "]") or tokens[index + 1].kind == "number"
    return before.kind in ("name", "number") or before.text in (")", "]")


def change_numbers(unit, operator=None):
    """Constants, amounts of shifts, bounds of masks and numbers of bits."""
    for index, token in enumerate(unit.tokens):
        if token.kind != "number":
            continue
        callers = unit.callers[index]
        kind = operator
        if not kind:
            if MASKS & set(callers):
                kind = "mask"
            elif BITS & set(callers):
                kind = "bit"
            elif index > 0 and unit.tokens[index - 1].text in SHIFTS:
                kind = "shift"
            else:
                kind = "constant"
        for text in numbers_beside(token.text):
            if kind in ("mask", "bit", "table", "shift") and text.startswith("(-"):
                continue
            yield Edit(kind, token.start, token.end, text)


def change_named_masks(source, unit):
    """Bounds of masks and numbers of bits that are names or have no number in them."""
    tokens = unit.tokens
    for opening, closing in unit.pairs.items():
        if tokens[opening].text != "(" or opening == 0 or tokens[opening - 1].text not in MASKS | BITS:
            continue
        for first, last in arguments(unit, opening):
            if any(token.kind == "number" for token in tokens[first:last + 1]):
                continue
            text = text_between(source, tokens, first, last)
            kind = "mask" if tokens[opening - 1].text in MASKS else "bit"
            yield Edit(kind, tokens[first].start, tokens[last].end, f"({text}) + 1")


def change_operators(unit):
    """Comparisons, logic, arithmetic, bitwise operators and shifts."""
    tokens = unit.tokens
    steady = set()  # no steps are changed here: endless loops tell nothing, nor does what lies before an array
    for opening, closing in unit.pairs.items():
        if tokens[opening].text == "[" or (opening > 0 and tokens[opening - 1].text == "for"):
            steady.update(range(opening, closing))
    for index, token in enumerate(tokens):
        if token.kind != "operator":
            continue
        text = token.text
        if text in INVERSE and not is_whole_condition(unit, index):
            yield Edit("comparison", token.start, token.end, INVERSE[text])
        if text in WEAKER:
            yield Edit("relational", token.start, token.end, WEAKER[text])
        if text in ("&&", "||"):
            yield Edit("logical", token.start, token.end, "&&" if text == "||" else "||")
        if text == "!" and index + 1 < len(tokens) and not is_whole_condition(unit, index):
            yield Edit("logical", token.start, token.end, "")
        if text in ARITHMETIC and (len(text) == 2 or is_binary(unit, index)):
            if not (text in ("++", "--", "+=", "-=") and index in steady):
                yield Edit("arithmetic", token.start, token.end, ARITHMETIC[text])
        if text in BITWISE and (len(text) == 2 or is_binary(unit, index)):
            yield Edit("bitwise", token.start, token.end, BITWISE[text])
        if text == "~":
            yield Edit("bitwise", token.start, token.end, "")
        if text in SHIFTS:
            yield Edit("shift", token.start, token.end, SHIFTS[text])


def is_whole_condition(unit, index):
    """Is the operator at index the only one of an if's condition? Inverting it would do what inverting the condition
    does."""
    tokens = unit.tokens
    for opening, closing in unit.pairs.items():
        if opening < index < closing and opening > 0 and tokens[opening - 1].text == "if":
            others = [token.text for token in tokens[opening:closing]]
            return "&&" not in others and "||" not in others and (tokens[index].text != "!" or index == opening + 1)
    return False


def change_conditions(source, unit):
    """The condition of an if inverted, and each of its branches taken always."""
    tokens = unit.tokens
    for opening, closing in sorted(unit.pairs.items()):
        if opening == 0 or tokens[opening].text != "(" or tokens[opening - 1].text not in ("if", "while"):
            continue
        if is_message(unit, closing + 1):
            continue
        text = text_between(source, tokens, opening + 1, closing - 1)
        if unit.cpp and re.search(r" = |;", text):
            continue  # it declares a variable
        span = (tokens[opening + 1].start, tokens[closing - 1].end)
        yield Edit("branch", *span, f"({text}) && 0")
        if tokens[opening - 1].text == "if":
            yield Edit("condition", *span, f"!({text})")
            yield Edit("branch", *span, f"({text}) || 1")


def is_message(unit, index):
    """Is the statement at index a message alone?"""
    tokens = unit.tokens
    block = tokens[index].text == "{"
    index += block
    if not MESSAGES.match(tokens[index].text) or index + 1 not in unit.pairs:
        return False
    return not block or tokens[unit.pairs[index + 1] + 2].text == "}"


def statements(unit):
    """First and last token (the semicolon) of each statement that is an expression, a declaration or a jump."""
    tokens, pairs, index = unit.tokens, unit.pairs, 1
    while index < len(tokens):
        text = tokens[index].text
        following = tokens[index + 1].text if index + 1 < len(tokens) else ""
        if text in ("{", "}", ";", "else", "do"):
            index += 1
        elif text in ("case", "default"):
            while index < len(tokens) and tokens[index].text != ":":
                index += 1
        elif following == ":" and tokens[index].kind == "name":
            index += 2
        elif following == "(" and index + 1 in pairs and is_header(tokens, pairs, index):
            index = pairs[index + 1] + 1
        else:
            first = index
            while index < len(tokens) and tokens[index].text != ";":
                index = pairs.get(index, index) + 1
            if first < index < len(tokens):
                yield first, index
            index += 1


def is_header(tokens, pairs, index):
    closing = pairs[index + 1]
    after = tokens[closing + 1].text if closing + 1 < len(tokens) else ""
    return tokens[index].text in ("if", "for", "while", "switch") or "for_each" in tokens[index].text or after == "{"


def remove_statements(source, unit):
    """Calls and assignments removed, and errors returned as success."""
    tokens, pairs = unit.tokens, unit.pairs
    for first, last in statements(unit):
        span = (tokens[first].start, tokens[last].end)
        texts = [token.text for token in tokens[first:last]]
        if tokens[first].text == "return":
            if "-" in texts[1:2] and texts[2].startswith("E") or texts[1:2] == ["dev_err_probe"]:
                yield Edit("error", *span, "return 0;")
            elif texts[1:2] == ["ERR_PTR"]:
                yield Edit("error", *span, "return NULL;")
            continue
        if unit.cpp and is_call(source, unit, first, last - 1):
            yield Edit("error" if texts[0] == "throw" else "call", *span, ";")
            continue
        if tokens[first].kind == "name" and pairs.get(first + 1) == last - 1 and tokens[first + 1].text == "(":
            if not MESSAGES.match(tokens[first].text):
                yield Edit("call", *span, ";")
            continue
        assigned = next((index for index in range(first, last) if tokens[index].text in ASSIGNMENTS and
                         not any(opening < index < closing for opening, closing in pairs.items() if opening >= first)),
                        None)
        if assigned and is_place(source, tokens, first, assigned - 1):
            yield Edit("assignment", *span, ";")


def is_call(source, unit, first, last):
    """Is this a call of a function of C++, or a throw?"""
    opening = next((one for one, other in unit.pairs.items() if other == last and unit.tokens[one].text == "("), first)
    text = text_between(source, unit.tokens, first, opening - 1) if opening > first else ""
    return re.match(r"(throw )?\w+(\[[^=]*\]|(->|\.|::)\w+|\([^()]*\))*$", text) is not None


def is_place(source, tokens, first, last):
    """Is this what can be assigned to, and no declaration?"""
    text = re.sub(r"\s+", " ", text_between(source, tokens, first, last))
    return re.match(r"\**\w+(\[[^=]*\]|(->|\.) ?\w+)*$", text) is not None


def exchange_indices(unit):
    """An index in the place of another one, or 0 where there is one index only."""
    tokens = unit.tokens
    subscripts = {tokens[opening + 1].text for opening, closing in unit.pairs.items()
                  if tokens[opening].text == "[" and closing == opening + 2 and tokens[opening + 1].kind == "name"}
    used = {token.text for token in tokens if token.kind == "name"}
    names = sorted(subscripts | (INDICES & used))
    for index, token in enumerate(tokens[:-1]):
        if token.text not in names or index == 0:
            continue
        before, after = tokens[index - 1].text, tokens[index + 1].text
        if before not in "([," or after not in ")],":
            continue
        if len(names) > 1:
            yield Edit("index", token.start, token.end, names[(names.index(token.text) + 1) % len(names)])
        elif before == "[":
            yield Edit("index", token.start, token.end, "0")


def arguments(unit, opening):
    """First and last token of each argument in these brackets."""
    found, first, index = [], opening + 1, opening + 1
    while index <= unit.pairs[opening]:
        if unit.tokens[index].text == "," or index == unit.pairs[opening]:
            if first < index:
                found.append((first, index - 1))
            first = index + 1
        index = unit.pairs.get(index, index) + 1
    return found


def name_of_entry(unit, first, last):
    """The macro of a table's entry and the index of the first argument that is a name in lower case, or None."""
    for index in range(first, last):
        if unit.tokens[index].kind == "name" and unit.tokens[index + 1].text == "(":
            for begin, end in arguments(unit, index + 1):
                if begin == end and re.match(r"[a-z]\w*$", unit.tokens[begin].text):
                    return unit.tokens[index].text, begin
            return None
    return None


def change_table(source, unit):
    """An entry of a table: numbers and places of fields changed, names of neighbours exchanged, entries removed."""
    tokens = unit.tokens
    yield from change_numbers(unit, "table")
    for token in tokens:
        found = FORMAT.match(token.text) if token.kind == "string" else None
        if found:
            config, low, high = found.group(1), int(found.group(2)), found.group(3)
            if high:
                yield Edit("table", token.start, token.end, f'"{config}{low + 1}-{high}"')
                yield Edit("table", token.start, token.end, f'"{config}{low}-{int(high) - 1}"')
            else:
                yield Edit("table", token.start, token.end, f'"{config}{low + 1}"')
    entries = arguments(unit, 0)
    named = [name_of_entry(unit, *entry) for entry in entries]
    for (entry, one), (_, other) in zip(zip(entries, named), list(zip(entries, named))[1:]):
        if one and other and one[0] == other[0] and tokens[one[1]].text != tokens[other[1]].text:
            first, second = tokens[one[1]], tokens[other[1]]
            yield Edit("table", first.start, second.end,
                       second.text + source[first.end:second.start] + first.text)
    for first, last in entries:
        if tokens[first].text == "." and unit.kind == "table":
            yield Edit("table", tokens[first].start, tokens[last].end, "")


def is_spaced(source, edit):
    """Operators of C++ have blanks around them, and brackets of templates, references and pointers have not."""
    return source[edit.start:edit.end] not in BINARY or (source[edit.start - 1] + source[edit.end]).isspace()


def edits_of(source, unit):
    """All edits of a unit, in the order of the text. The text of messages is left alone."""
    if unit.kind in ("table", "events"):
        edits = list(change_table(source, unit))
    elif unit.kind == "enum":
        edits = list(change_numbers(unit))
    else:
        edits = list(change_numbers(unit)) + list(change_operators(unit)) + list(change_named_masks(source, unit))
    if unit.cpp:
        edits = [edit for edit in edits if is_spaced(source, edit)]
        edits += [Edit("constant", token.start, token.end, "false" if token.text == "true" else "true")
                  for token in unit.tokens if token.text in ("true", "false")]
    if unit.kind == "function":
        for more in (change_conditions(source, unit), remove_statements(source, unit), exchange_indices(unit)):
            edits += list(more)
    messages = [(unit.tokens[opening].start, unit.tokens[closing].end) for opening, closing in unit.pairs.items()
                if opening > 0 and MESSAGES.match(unit.tokens[opening - 1].text)]
    if unit.cpp:
        messages += [(unit.tokens[first].end, unit.tokens[last].start) for first, last in statements(unit)
                     if unit.tokens[first].text == "throw"]
    return sorted((edit for edit in edits
                   if not any(start <= edit.start and edit.end <= end for start, end in messages)),
                  key=lambda edit: (edit.start, edit.end, edit.operator, edit.replacement))
