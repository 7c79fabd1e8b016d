# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The recorder's shared library exports the functions of its C header and nothing else, and brings its own fmt.

Usage: exported_symbols_test.py NM LIBRARY HEADER
"""
import pathlib
import re
import subprocess
import sys


def symbols(nm, library, which):
    listing = subprocess.run([nm, "-D", which, library], capture_output=True, text=True, check=True).stdout
    return {line.split()[-1].split("@")[0] for line in listing.splitlines() if line.strip()}


def problems(declared, exported, used):
    """Sentences about functions that are missing, symbols that are visible, and fmt's or ours from elsewhere."""
    yield from (f"{name}: declared, not exported" for name in sorted(declared - exported))
    yield from (f"{name}: exported, not declared" for name in sorted(exported - declared))
    yield from (f"{name}: taken from another library" for name in sorted(used) if re.search("3fmt|6parity", name))


def main():
    nm, library, header = sys.argv[1:]
    declared = set(re.findall(r"\b(parity_recorder_\w+)\(", re.sub(r"/\*.*?\*/", "", pathlib.Path(header).read_text(), flags=re.S)))
    assert len(declared) > 15, f"only {declared} found in {header}"
    planted = list(problems({"a"}, {"_ZN6parity1fEv"}, {"_ZN3fmt2v97vformatEv"}))
    assert len(planted) == 3, f"planted problems are not seen: {planted}"
    found = list(problems(declared, symbols(nm, library, "--defined-only"), symbols(nm, library, "--undefined-only")))
    print("\n".join(found) or f"{len(declared)} C functions and nothing else")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
