# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""`python -m parity tokens TEXTS... --tokenizer tokenizer.json -o PREFIX`."""

from __future__ import annotations

import argparse
import os
import pathlib
from collections.abc import Iterator
from typing import Any

from ..conversion import Problem, missing_package, one_line, status_of
from . import record
from .documents import documents
from .indexed import Writer

FEWEST = 2  # tokens of a document: an input needs a label


def run(words: list[str]) -> int:
    """Tokenizes, unless the files are current. Returns the exit code, and prints the sentence of an error."""
    options = _parser().parse_args(words)
    return status_of(lambda: print(tokenize(options)), "cannot tokenize")


def _parser() -> argparse.ArgumentParser:
    program = "python -m parity tokens"
    parser = argparse.ArgumentParser(
        prog=program,
        description="Writes texts as a token file (Megatron's .idx and .bin) that parity-train reads. PREFIX.json "
        "keeps the digests of the inputs; a second call with the same ones writes nothing.",
        epilog=f"example: {program} a.jsonl b.parquet --tokenizer tokenizer.json --eos '</s>' -o out/texts",
    )
    parser.add_argument("texts", metavar="TEXTS", nargs="+", help="JSONL or Parquet files, read in this order")
    parser.add_argument("--tokenizer", metavar="FILE", required=True, help="the model's tokenizer.json")
    parser.add_argument("--field", default="text", help="field or column with the text (default: text)")
    parser.add_argument("--bos", metavar="TOKEN", help="token before each document, by its text")
    parser.add_argument("--eos", metavar="TOKEN", help="token after each document, by its text")
    parser.add_argument("-o", "--output", metavar="PREFIX", required=True, help="writes PREFIX.idx, .bin and .json")
    return parser


def tokenize(options: argparse.Namespace) -> str:
    """Returns what was done, in a sentence. Raises Problem."""
    paths = [pathlib.Path(text) for text in options.texts]
    tokenizer_file, prefix = pathlib.Path(options.tokenizer), pathlib.Path(options.output)
    if prefix.name in ("", ".."):
        raise Problem(f"cannot write to {prefix} (it names no file); give a prefix such as out/texts")
    for path in [*paths, tokenizer_file]:
        if not path.is_file():
            raise Problem(f"cannot read {path} (it does not exist); check the path", 3)
    tokenizer, version = _load(tokenizer_file)
    marks = {name: _mark(tokenizer, getattr(options, name), name) for name in ("bos", "eos")}
    made_from = {
        "texts": [{"name": path.name, "sha256": record.digest(path)} for path in paths],
        "tokenizer": record.digest(tokenizer_file),
        "tokenizers": version,
        "field": options.field,
        **marks,
    }
    if record.is_current(prefix, made_from):
        return f"{prefix}.idx is current: the same texts, tokenizer and marks made it"
    texts = (text for path in paths for text in documents(path, options.field))
    counts = _write(prefix, tokenizer, marks, texts)
    record.write(prefix, made_from, counts)
    return (
        f"{prefix}.idx has {counts['documents']} documents, {counts['tokens']} tokens, the largest of them "
        f"{counts['largest_token']}; {counts['left_out']} documents of fewer than {FEWEST} tokens were left out"
    )


def _load(path: pathlib.Path) -> tuple[Any, str]:
    try:
        import tokenizers
    except ImportError:
        raise missing_package(path, "tokenizers", "tokenizer.json", "tokenizers") from None
    try:
        tokenizer = tokenizers.Tokenizer.from_file(str(path))
    except Exception as error:  # the package raises Exception itself
        raise Problem(f"cannot read {path} (not a tokenizer.json: {one_line(error)}); name the model's") from None
    tokenizer.no_truncation()  # which a file may ask for, and which would shorten long documents
    tokenizer.no_padding()
    return tokenizer, tokenizers.__version__


def _mark(tokenizer: Any, token: str | None, name: str) -> int | None:
    if token is None:
        return None
    number = tokenizer.token_to_id(token)
    if number is None:
        raise Problem(f"cannot use --{name} {token} (the tokenizer has no such token); name one of its tokens")
    return int(number)


def _write(prefix: pathlib.Path, tokenizer: Any, marks: dict[str, int | None], texts: Iterator[str]) -> dict[str, int]:
    """Writes both files beside their places and moves them there when they are whole."""
    files = record.outputs(prefix)
    files["json"].unlink(missing_ok=True)  # which describes the files before
    prefix.parent.mkdir(parents=True, exist_ok=True)
    parts = {end: files[end].with_name(f"{files[end].name}.part") for end in ("bin", "idx")}
    vocabulary = 1 + max(tokenizer.get_vocab(with_added_tokens=True).values(), default=0)
    writer = Writer(parts["bin"], vocabulary)
    left_out, largest = 0, 0
    try:
        for text in texts:
            tokens = _encode(tokenizer, text, marks)
            if len(tokens) < FEWEST:
                left_out += 1
                continue
            largest = max(largest, *tokens)
            writer.add(tokens)
        writer.close(parts["idx"])
        if not writer.lengths:
            raise Problem("cannot write a token file (no document has two tokens); name other texts")
        for end in ("bin", "idx"):
            os.replace(parts[end], files[end])
    finally:
        for path in parts.values():
            path.unlink(missing_ok=True)
    return {
        "documents": len(writer.lengths),
        "tokens": writer.tokens,
        "largest_token": largest,
        "left_out": left_out,
    }


def _encode(tokenizer: Any, text: str, marks: dict[str, int | None]) -> list[int]:
    tokens = list(tokenizer.encode(text, add_special_tokens=False).ids)
    before = [] if marks["bos"] is None else [marks["bos"]]
    after = [] if marks["eos"] is None else [marks["eos"]]
    return [*before, *tokens, *after]
