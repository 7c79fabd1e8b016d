# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""`python -m parity tokens`: texts of JSONL and Parquet, against the package tokenizers alone.

Usage: tokens_test.py SOURCE_DIR PARITY RECORDER_LIBRARY
"""
import contextlib
import io
import json
import pathlib
import shutil
import sys
import tempfile
import unittest

import numpy
import pyarrow
import recorded  # noqa: F401  (the package's path)
import tokenizers
from pyarrow import parquet

from parity.tokens import command, record

TEXTS = pathlib.Path(sys.argv[1]) / "cases/data/texts"
TOKENIZER = TEXTS / "tokenizer.json"
UNICODE = ["Ünïcödé \u2028 日本語 🎉\r\n", "", "x" * 300000, "two words", "a\x00b"]


def stored_documents(prefix):
    """The documents of an index, read with NumPy from the layout that Megatron documents."""
    index = pathlib.Path(f"{prefix}.idx").read_bytes()
    count = int(numpy.frombuffer(index, "<u8", 1, 18)[0])
    lengths = numpy.frombuffer(index, "<i4", count, 34)
    pointers = numpy.frombuffer(index, "<i8", count, 34 + 4 * count)
    data = pathlib.Path(f"{prefix}.bin").read_bytes()
    kind = {8: "<u2", 4: "<i4"}[index[17]]
    return [numpy.frombuffer(data, kind, n, at).tolist() for n, at in zip(lengths, pointers, strict=True)]


class TokensTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def put(self, name, data):
        path = self.folder / name
        path.write_bytes(data)
        return path

    def lines(self, name, texts):
        return self.put(name, "".join(json.dumps({"text": t}, ensure_ascii=False) + "\n" for t in texts).encode())

    def run_on(self, *words, output="out"):
        told = io.StringIO()
        with contextlib.redirect_stdout(told), contextlib.redirect_stderr(told):
            code = command.run([*map(str, words), "-o", str(self.folder / output)])
        return code, told.getvalue()

    def expect_refused(self, words, *arguments, code=2):
        found, told = self.run_on(*arguments, "--tokenizer", TOKENIZER)
        self.assertEqual(found, code, told)
        self.assertIn(words, told)
        self.assertEqual(list(self.folder.glob("out*")), [])

    def test_documents_are_those_of_the_package(self):
        plain = tokenizers.Tokenizer.from_file(str(TOKENIZER))
        expected = [plain.encode(text).ids + [0] for text in UNICODE if text]
        rows = self.folder / "b.parquet"
        parquet.write_table(pyarrow.table({"text": UNICODE}), rows, row_group_size=2)
        code, told = self.run_on(self.lines("a.jsonl", UNICODE), rows, "--tokenizer", TOKENIZER, "--eos", "<|end|>")
        self.assertEqual(code, 0, told)
        self.assertIn("2 documents of fewer than 2 tokens were left out", told)
        documents = stored_documents(self.folder / "out")
        self.assertEqual(documents, expected + expected)
        self.assertEqual(plain.decode(documents[0]), UNICODE[0])

    def test_long_documents_are_not_truncated(self):
        short = tokenizers.Tokenizer.from_file(str(TOKENIZER))
        short.enable_truncation(4)
        short.enable_padding(length=9)
        short.save(str(self.folder / "short.json"))
        self.run_on(self.lines("a.jsonl", ["many words of one text"]), "--tokenizer", self.folder / "short.json")
        whole = tokenizers.Tokenizer.from_file(str(TOKENIZER)).encode("many words of one text").ids
        self.assertEqual(stored_documents(self.folder / "out"), [whole])

    def test_a_second_call_writes_nothing(self):
        words = [self.lines("a.jsonl", ["one text", "two"]), "--tokenizer", TOKENIZER]
        self.run_on(*words)
        self.assertIn("is current", self.run_on(*words)[1])
        self.lines("a.jsonl", ["one text", "three"])
        self.assertIn("2 documents", self.run_on(*words)[1])
        self.assertIn("2 documents", self.run_on(*words, "--bos", "<|end|>")[1])
        self.put("out.bin", (self.folder / "out.bin").read_bytes()[:-2])
        self.assertIn("2 documents", self.run_on(*words, "--bos", "<|end|>")[1])

    def test_files_of_the_cases_are_current(self):
        for texts in ("prose.jsonl", "sums.parquet"):
            prefix = self.folder / texts.split(".")[0]
            for end in ("idx", "bin", "json"):
                shutil.copy(TEXTS / f"{prefix.name}.{end}", self.folder)
            made = json.loads((self.folder / f"{prefix.name}.json").read_text())["made_from"]
            code, told = self.run_on(TEXTS / texts, "--tokenizer", TOKENIZER, "--eos", "<|end|>", output=prefix.name)
            self.assertIn("is current" if made["tokenizers"] == tokenizers.__version__ else "documents", told)
            for end in ("idx", "bin"):
                self.assertEqual(record.digest(TEXTS / f"{prefix.name}.{end}"),
                                 record.digest(self.folder / f"{prefix.name}.{end}"), code)

    def test_refuses_what_is_no_text(self):
        for data, words in (
            (b"", "no document has two tokens"),
            (b'{"text": ""}\n', "no document has two tokens"),
            (b'{"text": "a b"}\n{"text": "cut', "a.jsonl:2 (it is not JSON"),
            (b'{"body": "a b"}\n', "a.jsonl:1 (it has no field 'text')"),
            (b'["text"]\n', "it has no field 'text'"),
            (b'{"text": null}\n', "'text' must be text, not NoneType"),
            (b'{"text": "\xff"}\n', "byte 10 of the line is not UTF-8"),
            (b'{"text": "\\ud800 a"}\n', "half of a surrogate pair"),
        ):
            self.expect_refused(words, self.put("a.jsonl", data))
        self.expect_refused("ends in neither", self.put("a.txt", b"a b"))
        self.expect_refused("it does not exist", self.folder / "none.jsonl", code=3)
        self.expect_refused("has no such token", self.lines("a.jsonl", ["a b"]), "--eos", "</s>")

    def test_refuses_parquet_without_texts(self):
        path = self.folder / "a.parquet"
        parquet.write_table(pyarrow.table({"text": ["a b", None]}), path)
        self.expect_refused("row 2 ('text' must be text, not NoneType)", path)
        self.expect_refused("it has no column 'body'", path, "--field", "body")
        self.expect_refused("it is not whole Parquet", self.put("a.parquet", path.read_bytes()[:-9]))

    def test_refuses_what_is_no_tokenizer(self):
        broken = self.put("tokenizer.json", TOKENIZER.read_bytes()[:-5])
        code, told = self.run_on(self.lines("a.jsonl", ["a b"]), "--tokenizer", broken)
        self.assertEqual(code, 2)
        self.assertIn("not a tokenizer.json", told)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
