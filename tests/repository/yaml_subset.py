# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Reads the YAML that this tree uses, since Python's standard library has no reader of YAML.

Known: mappings and sequences in block style, one-line flow sequences of scalars, plain and quoted scalars, literal
blocks ("|", "|-"), comments. Everything else raises ValueError with its line: anchors, tags, folded blocks, documents,
flow mappings, tabs, repeated keys, plain scalars that YAML readers disagree about ("yes", "on" as a value).
"""
import json
import re

KEY = re.compile(r"""(?:"([^"\\]*)"|'([^']*)'|([A-Za-z_][\w .-]*?)):(?:\s+|$)""")
NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?")
CONSTANTS = {"true": True, "false": False, "null": None, "": None}
AMBIGUOUS = {"yes", "no", "on", "off", "y", "n", "~"}


class _Reader:
    def __init__(self, text):
        self.lines = text.split("\n")
        self.at = 0

    def refuse(self, why):
        raise ValueError(f"line {self.at + 1}: {why}: {self.lines[self.at]!r}")

    def next_indent(self):
        """Indent of the next line that says something, which becomes the current one; -1 at the end."""
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if line.strip() and not line.lstrip().startswith("#"):
                indent = len(line) - len(line.lstrip(" "))
                if line[indent] == "\t":
                    self.refuse("a tab")
                return indent
            self.at += 1
        return -1

    def block(self, indent):
        """The mapping or sequence whose entries stand at `indent`."""
        return self.sequence(indent) if self.is_item(self.lines[self.at][indent:]) else self.mapping(indent)

    @staticmethod
    def is_item(text):
        return text == "-" or text.startswith("- ")

    def mapping(self, indent):
        found = {}
        while self.next_indent() == indent and not self.is_item(self.lines[self.at][indent:]):
            match = KEY.match(self.lines[self.at][indent:])
            if not match:
                self.refuse("a key was expected")
            key = next(group for group in match.groups() if group is not None)
            if key in found:
                self.refuse("a repeated key")
            found[key] = self.value(self.lines[self.at][indent + match.end():], indent, in_mapping=True)
        self.check_indent_after(indent)
        return found

    def sequence(self, indent):
        found = []
        while self.next_indent() == indent and self.is_item(self.lines[self.at][indent:]):
            rest = self.lines[self.at][indent + 1:]
            inner = rest.lstrip(" ")
            if KEY.match(inner):  # "- key: value": a mapping that begins on this line
                column = indent + 1 + len(rest) - len(inner)
                self.lines[self.at] = " " * column + inner
                found.append(self.mapping(column))
            else:
                found.append(self.value(inner, indent, in_mapping=False))
        self.check_indent_after(indent)
        return found

    def check_indent_after(self, indent):
        if self.next_indent() > indent:
            self.refuse("an indent that nothing opened")

    def value(self, text, indent, in_mapping):
        """The value whose first line is `text` and whose owner stands at `indent`."""
        if text.rstrip() in ("|", "|-"):
            return self.literal(indent, keep_newline=text.rstrip() == "|")
        if self.without_comment(text) == "":
            self.at += 1
            inner = self.next_indent()
            opens = inner > indent or (in_mapping and inner == indent and self.is_item(self.lines[self.at][inner:]))
            return self.block(inner) if opens else None
        value = self.scalar(self.without_comment(text))
        self.at += 1
        return value

    def literal(self, indent, keep_newline):
        self.at += 1
        body = []
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if line.strip() and len(line) - len(line.lstrip(" ")) <= indent:
                break
            body.append(line)
            self.at += 1
        depth = min((len(line) - len(line.lstrip(" ")) for line in body if line.strip()), default=0)
        text = "\n".join(line[depth:] for line in body).rstrip("\n")
        return text + "\n" if keep_newline and text else text

    @staticmethod
    def without_comment(text):
        if text[:1] in ("'", '"'):
            end = text.find(text[0], 1)
            return text[:end + 1] + re.sub(r"\s+#.*|\s+$", "", text[end + 1:])
        return re.sub(r"(^|\s+)#.*", "", text).rstrip()

    def scalar(self, text):
        if text.startswith("["):
            if not text.endswith("]") or re.search(r"[\[{\"']", text[1:]):
                self.refuse("a flow sequence of plain scalars in one line was expected")
            return [self.scalar(item.strip()) for item in text[1:-1].split(",") if item.strip()]
        if text.startswith('"'):
            try:
                return json.loads(text)
            except ValueError:
                self.refuse("a quoted text")
        if text.startswith("'"):
            if not re.fullmatch(r"'[^']*'", text):
                self.refuse("a quoted text")
            return text[1:-1]
        if text[0] in "&*!>|{}]@`%,?" or ": " in text or text.lower() in AMBIGUOUS:
            self.refuse("a scalar that has to be quoted, or YAML that this reader does not know")
        if text in CONSTANTS:
            return CONSTANTS[text]
        return json.loads(text) if NUMBER.fullmatch(text) else text


def load(text):
    """The mapping or sequence in `text`. Raises ValueError, with the line, for YAML it does not know."""
    reader = _Reader(text)
    indent = reader.next_indent()
    if indent != 0:
        raise ValueError("nothing at indent 0")
    found = reader.block(0)
    if reader.next_indent() != -1:
        reader.refuse("nothing may follow here")
    return found
