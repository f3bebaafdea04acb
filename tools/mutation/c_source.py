# SPDX-License-Identifier: Apache-2.0
"""The text of a C or C++ file as tokens, and the functions, macros, tables and enumerations in it."""

import dataclasses
import re

TOKEN = re.compile(
    r"""(?P<comment>/\*.*?\*/|//[^\n]*)
      | (?P<directive>^[ \t]*\#(?:\\\n|[^\n])*)
      | (?P<string>"(?:\\.|[^"\\])*")
      | (?P<char>'(?:\\.|[^'\\])*')
      | (?P<number>\d(?:'?\w)*)
      | (?P<name>[A-Za-z_]\w*)
      | (?P<operator><<=|>>=|\.\.\.|->|::|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|\#\#|[^\s\w])""",
    re.VERBOSE | re.MULTILINE | re.DOTALL)
DEFINE = re.compile(r"[ \t]*#[ \t]*define[ \t]+(\w+)(\([^)]*\))?")
OPENING = {"(": ")", "[": "]", "{": "}"}


@dataclasses.dataclass(frozen=True)
class Token:
    kind: str
    text: str
    start: int
    end: int


@dataclasses.dataclass
class Unit:
    """A part of a file that is mutated by itself."""
    kind: str  # function, macro, table, events or enum
    name: str
    tokens: list
    pairs: dict  # of brackets: index of the opening token -> index of the closing one
    cpp: bool = False

    def __post_init__(self):
        self.callers = enclosing_calls(self.tokens, self.pairs)


def tokenize(text, offset=0):
    """All tokens except comments. Text that is no C gives tokens all the same."""
    return [Token(found.lastgroup, found.group(), offset + found.start(), offset + found.end())
            for found in TOKEN.finditer(text) if found.lastgroup != "comment" and found.group() != "\\"]


def pair_brackets(tokens):
    """Index of each opening bracket -> index of its closing one. Brackets without a partner are left out."""
    pairs, opened = {}, []
    for index, token in enumerate(tokens):
        if token.text in OPENING:
            opened.append(index)
        elif opened and token.text == OPENING[tokens[opened[-1]].text]:
            pairs[opened.pop()] = index
    return pairs


def enclosing_calls(tokens, pairs):
    """For each token the names of the calls in whose parentheses it is."""
    callers = [()] * len(tokens)
    for opening, closing in sorted(pairs.items()):
        if tokens[opening].text == "(" and opening > 0 and tokens[opening - 1].kind == "name":
            for index in range(opening + 1, closing):
                callers[index] += (tokens[opening - 1].text,)
    return callers


def macros_of(tokens):
    units = []
    for token in tokens:
        found = DEFINE.match(token.text) if token.kind == "directive" else None
        if found:
            body = tokenize(token.text[found.end():], token.start + found.end())
            if body:
                units.append(Unit("macro", "#" + found.group(1), body, pair_brackets(body)))
    return units


def kind_and_name(head, pairs_of_head):
    """What the braces after these tokens hold: a kind of Unit and its name, or None for what is not mutated."""
    texts = [token.text for token in head]
    names = [token.text for token in head if token.kind == "name"]
    if any(name.endswith("_device_id") or name == "device_id" for name in names):
        return None
    if "=" in texts:
        before = head[:min(texts.index(text) for text in ("=", "[") if text in texts)]
        named = [token.text for token in before if token.kind == "name"]
        return ("events" if "attribute" in names else "table", named[-1] + "[]") if named else None
    if texts[-1:] == [")"]:
        opening = next((one for one, other in pairs_of_head.items() if other == len(head) - 1), 0)
        return ("function", texts[opening - 1]) if opening > 0 else None
    if "enum" in names and "(" not in texts:
        return "enum", " ".join(names[names.index("enum"):])
    return None


def kind_and_name_in_cpp(head, pairs_of_head):
    """The same for C++. "inside" is a namespace or a class, whose own units count, and "member" is a value of one."""
    texts = [token.text for token in head]
    names = [token.text for token in head if token.kind == "name"]
    called = next((one for one in sorted(pairs_of_head) if texts[one] == "(" and one > 0 and
                   (head[one - 1].kind == "name" or "operator" in names)), None)
    if {"namespace", "extern"} & set(names) or ({"class", "struct", "union"} & set(names) and called is None and
                                                "=" not in texts and "enum" not in names):
        return "inside", ""
    if called is not None and ("=" not in texts or texts.index("=") > called):
        if head[-1].kind == "name" and ":" in texts[pairs_of_head[called]:]:
            return "member", ""
        first = called - 1
        while first > 1 and texts[first - 1] == "::":
            first -= 2
        return "function", "".join(texts[first:called])
    if "=" not in texts and "enum" not in names:
        return ("table", names[-1] + "[]") if names else None
    return kind_and_name(head, pairs_of_head)


def units_of(text, cpp=False):
    """The units of a file, in the order of the text."""
    tokens = tokenize(text)
    units = macros_of(tokens)
    code = [token for token in tokens if token.kind != "directive"]
    pairs = pair_brackets(code)
    begin = index = 0
    while index < len(code):
        token = code[index]
        if token.text == "{" and index in pairs:
            head = code[begin:index]
            find = kind_and_name_in_cpp if cpp else kind_and_name
            what = find(head, pair_brackets(head)) if head else None
            if what and what[0] == "inside":
                begin = index = index + 1
                continue
            body = code[index:pairs[index] + 1]
            if what and what[0] != "member":
                units.append(Unit(*what, body, pair_brackets(body), cpp))
            index = pairs[index]
            goes_on = "=" in [one.text for one in head] and not (cpp and what and what[0] == "function")
            begin = begin if goes_on or what == ("member", "") else index + 1
        elif token.text in (";", "}"):
            begin = index + 1
        index += 1
    return sorted(units, key=lambda unit: unit.tokens[0].start)
