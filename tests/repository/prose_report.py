# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Reports how far the prose of the tree is from its language guide. Never fails: a person judges.

Usage: prose_report.py [SOURCE_DIR] [--words]

The first table has a row for each Markdown page: lines, words of running text, mean and longest sentence [words],
semicolons in running text and in tables, and occurrences of words that the guide replaces. Code blocks and inline code do
not count.
The second table counts these words in the comments and in the strings of harness/ and reports/.
--words also lists each word with its count and its replacement.
"""
import argparse
import collections
import pathlib
import re
import sys

# What the guide replaces: (name, pattern, what to write). Patterns are narrow where a word also has a good use.
GUIDE = [
    ("tell", r"\b(?:tell|tells|telling|told)\b", "report, show, distinguish"),
    ("mend", r"\bmend(?:s|ed|ing)?\b", "fix"),
    ("culprit", r"\bculprits?\b", "cause"),
    ("part (verb)", r"\b(?:sides|runs|arms|traces|they|both|curves|it) parts?\b|\bparts? (?:in bits|first|by rounding)\b",
     "diverge"),
    ("apart", r"\b(?:go|goes|went|take|takes|tells?) (?:\w+ ){0,3}apart\b", "diverge, distinguish"),
    ("hold against", r"\b(?:hold|holds|held|holding) (?:\w+ ){0,3}(?:against|beside)\b", "compare with"),
    ("beside", r"\bbeside\b", "next to, compared with"),
    ("behind", r"\bbehind\b", "after"),
    ("go on", r"\b(?:go|goes|going|went) on\b", "continue, resume"),
    ("left over", r"\bleft over\b|\bis left of\b|\bwhat is left\b", "remaining"),
    ("is no", r"\b(?:is|are|was|were) (?:no|none)\b", "is not"),
    ("has not a", r"\b(?:has|have|had) (?:not (?:a|an|the)\b|none\b)|\bnone (?:of ours|it has)\b", "does not have"),
    ("has not.", r"\b(?:has|have) not(?=[.,;:)])", "does not have"),
    ("lie", r"\b(?:lie|lies|lay|lying)\b", "be in, be stored in"),
    ("stand", r"\bstands? (?:in|for|there|below|beside|before)\b", "be in, appear in"),
    ("likewise", r"\blikewise\b", "repeat the noun"),
    ("by right", r"\bby right\b", "rightly, as expected"),
    ("whoever", r"\b[Ww]ho(?:ever)? (?:asks?|has|looks?|wants?|calls?|writes?|reads?|compares?|takes?|began)\b",
     "name the person"),
    ("words (text)", r"\b(?:same|other|last) words\b|\bwords of\b", "message, text"),
    ("is to be", r"\b(?:is|are) to be\b", "must be, will be"),
    ("as it is", r"\bas (?:it is|they are|it was|they were)\b", "unchanged"),
    ("most often", r"\b(?:most often|for good)\b", "usually, permanently"),
    ("the former", r"\bthe (?:former|latter)\b", "repeat the noun"),
    ("gives back", r"\bgive[sn]? back\b", "return"),
]
PATTERNS = [(name, re.compile(pattern, re.I), better) for name, pattern, better in GUIDE]
SKIPPED = {"build", "out", ".git", "node_modules", "venv"}


def guide_words(text):
    """Counts of the guide's words in `text`, by name."""
    return collections.Counter({name: len(found) for name, pattern, _ in PATTERNS if (found := pattern.findall(text))})


def without_code(markdown):
    """The page without comments, code blocks and inline code; an inline code span becomes the word `code`."""
    text = re.sub(r"<!--.*?-->", "", markdown, flags=re.S)
    text = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    lines, after_blank = [], True
    for line in text.splitlines():
        indented = line.startswith("    ") and (after_blank or (lines and lines[-1] is None))
        lines.append(None if indented else line)
        after_blank = not line.strip() or indented
    text = "\n".join(line for line in lines if line is not None)
    text = re.sub(r"`[^`\n]*`", "code", text)
    return re.sub(r"\]\([^)]*\)", "]", text)


def sentences_of(text):
    """The sentences of running text: headings and tables do not count, an item of a list is a paragraph."""
    paragraphs, current = [], []
    for line in text.splitlines() + [""]:
        item = re.match(r"\s*(?:[-*]|\d+\.)\s+", line)
        if not line.strip() or line.startswith(("#", "|", "![")) or item:
            paragraphs.append(" ".join(current))
            current = []
        if line.strip() and not line.startswith(("#", "|", "![")):
            current.append(line[item.end():] if item else line.strip())
    paragraphs.append(" ".join(current))
    split = [s for p in paragraphs for s in re.split(r"(?<=[.!?])[\"*)]*\s+(?=[A-Z`*\"\[(0-9]|code\b)", p)]
    return [s for s in split if len(s.split()) > 1]


def page_row(name, markdown):
    text = without_code(markdown)
    lengths = [len(s.split()) for s in sentences_of(text)]
    in_tables = sum(line.count(";") for line in text.splitlines() if line.startswith("|"))
    return {"page": name, "lines": len(markdown.splitlines()), "words": sum(lengths),
            "mean": sum(lengths) / len(lengths) if lengths else 0.0, "longest": max(lengths, default=0),
            "semicolons": text.count(";") - in_tables, "in tables": in_tables, "guide": guide_words(text),
            "sentences": len(lengths)}


CPP_TOKEN = re.compile(r"//[^\n]*|/\*.*?\*/|R\"(\w*)\(.*?\)\1\"|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.S)
PY_TOKEN = re.compile(r"#[^\n]*|\"\"\".*?\"\"\"|'''.*?'''|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.S)


def comments_and_strings(file):
    """(comments, strings) of a source file, each one text."""
    tokens = PY_TOKEN if file.suffix == ".py" else CPP_TOKEN
    comments, strings = [], []
    for match in tokens.finditer(file.read_text(errors="replace")):
        token = match.group()
        is_comment = token.startswith(("//", "/*", "#", '"""'))
        (comments if is_comment else strings).append(token)
    joined = [re.sub(r"\s*\n\s*(?://+|#)?<?\s*", " ", "\n".join(group)) for group in (comments, strings)]
    return joined[0], joined[1]


def files_below(root, *suffixes):
    return sorted(f for f in root.rglob("*") if f.suffix in suffixes and f.is_file()
                  and not SKIPPED & set(f.relative_to(root).parts[:-1]))


def report_pages(root):
    rows = [page_row(str(f.relative_to(root)), f.read_text()) for f in files_below(root, ".md")]
    print(f"{'page':42} {'lines':>6} {'words':>6} {'mean':>5} {'longest':>8} {'semicolons':>11} {'in tables':>10} "
          f"{'guide words':>12}")
    for row in rows:
        print(f"{row['page']:42} {row['lines']:6} {row['words']:6} {row['mean']:5.1f} {row['longest']:8} "
              f"{row['semicolons']:11} {row['in tables']:10} {row['guide'].total():12}")
    words, sentences = sum(r["words"] for r in rows), sum(r["sentences"] for r in rows)
    print(f"{f'{len(rows)} pages':42} {sum(r['lines'] for r in rows):6} {words:6} {words / max(1, sentences):5.1f} "
          f"{max((r['longest'] for r in rows), default=0):8} {sum(r['semicolons'] for r in rows):11} "
          f"{sum(r['in tables'] for r in rows):10} {sum(r['guide'].total() for r in rows):12}")
    return sum((r["guide"] for r in rows), collections.Counter())


def report_sources(root):
    print(f"\n{'sources':42} {'files':>6} {'in comments':>12} {'in strings':>11}")
    total = collections.Counter()
    for folder in ("harness", "reports"):
        files = files_below(root / folder, ".hpp", ".cpp", ".h", ".c", ".cu", ".py", ".js")
        in_comments, in_strings = collections.Counter(), collections.Counter()
        for file in files:
            comments, strings = comments_and_strings(file)
            in_comments += guide_words(comments)
            in_strings += guide_words(strings)
        print(f"{folder:42} {len(files):6} {in_comments.total():12} {in_strings.total():11}")
        total += in_comments + in_strings
    return total


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", nargs="?", default=pathlib.Path(__file__).resolve().parents[2], type=pathlib.Path)
    parser.add_argument("--words", action="store_true", help="list each word with its count and its replacement")
    arguments = parser.parse_args()
    pages, sources = report_pages(arguments.source), report_sources(arguments.source)
    if arguments.words:
        print(f"\n{'word':20} {'pages':>6} {'sources':>8}  write")
        for name, _, better in PATTERNS:
            print(f"{name:20} {pages[name]:6} {sources[name]:8}  {better}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
