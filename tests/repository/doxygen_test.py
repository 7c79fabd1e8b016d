# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Doxygen has nothing to say about the public headers, and pages come out of them.

Usage: doxygen_test.py SOURCE_DIR
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(sys.argv[1]).resolve()
SKIPPED = 77


def run_doxygen(out, more=""):
    """The finished process of doxygen with our Doxyfile and `more` lines, which writes below `out`."""
    config = (SOURCE / "harness/cmake/Doxyfile").read_text() + f"OUTPUT_DIRECTORY = {out}\n{more}\n"
    return subprocess.run(["doxygen", "-"], input=config, cwd=SOURCE, capture_output=True, text=True, timeout=100)


PUBLIC = SOURCE / "harness/api/include/parity"


def headers():
    """Names of the public headers."""
    text = (SOURCE / "harness/cmake/Doxyfile").read_text().replace("\\\n", " ")
    return re.search(r"^FILE_PATTERNS += *(.*)$", text, re.M).group(1).lstrip("= ").split()


def problems(scratch):
    """Sentences about the headers, their pages, and a Doxyfile that would see nothing."""
    done = run_doxygen(scratch / "pages")
    if done.returncode != 0 or done.stderr.strip():
        yield f"doxygen ends with {done.returncode}:\n{done.stderr}"
        return
    names = headers()
    installed = sorted(file.name for file in PUBLIC.iterdir())
    if len(names) < 12 or sorted(names) != installed:
        yield f"the Doxyfile has {sorted(names)}, installed are {installed}"
    index = (scratch / "pages/html/annotated.html").read_text()
    for word in ("Recorder", "Trace", "Difference", "Check", "parity_tensor", "CheckResult"):
        if f">{word}<" not in index:
            yield f"no page for {word}"
    if not list((scratch / "pages/html").glob("recorder_8h.html")):
        yield "no page for the C header"
    planted = scratch / "planted.hpp"
    for text in ("void undocumented();\n", "/// Adds. \\param c  not a parameter\nint add(int a);\n"):
        planted.write_text("/// \\file\n" + text)
        if run_doxygen(scratch / "planted", f"INPUT = {planted}\nFILE_PATTERNS = *.hpp").returncode == 0:
            yield f"does not see what is planted: {text}"


def main():
    if not shutil.which("doxygen"):
        print("skipped: needs doxygen, found none")
        return SKIPPED
    with tempfile.TemporaryDirectory() as scratch:
        found = list(problems(pathlib.Path(scratch)))
    print("\n".join(found) or f"{len(headers())} public headers are documented")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
