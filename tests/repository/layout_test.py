# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The tree keeps its agreed shape: top-level names, licence lines, sizes of goldens, one case a golden.

Usage: layout_test.py SOURCE_DIR
"""
import pathlib
import subprocess
import sys

TOP = {"CMakeLists.txt", "CMakePresets.json", "README.md", "LICENSE", "CONTRIBUTING.md", "CHANGELOG.md", "harness",
       "reference", "cases", "golden", "reports", "tests"}
CODE = {".cpp", ".hpp", ".h", ".c", ".cu", ".py", ".cmake", ".sh", ".yml"}
LICENCE = "SPDX-License-Identifier: Apache-2.0"
GOLDEN_BYTES = 512 * 1024


def problems(root, names):
    """Sentences about the tracked files `names` (relative paths) below `root`."""
    for top in sorted({n.split("/")[0] for n in names}):
        if top not in TOP and not top.startswith("."):
            yield f"{top}: not one of the agreed top-level entries"
    for name in names:
        file = root / name
        if file.suffix in CODE and LICENCE not in "".join(file.read_text().splitlines(True)[:3]):
            yield f"{name}: the first lines lack '{LICENCE}'"
        if name.startswith("golden/") and file.suffix == ".h5":
            if file.stat().st_size > GOLDEN_BYTES:
                yield f"{name}: {file.stat().st_size} bytes, more than a golden may have ({GOLDEN_BYTES})"
            case = root / "cases" / file.relative_to(root / "golden").with_suffix(".toml")
            if not case.exists():
                yield f"{name}: a golden without its case {case.relative_to(root)}"


def main():
    root = pathlib.Path(sys.argv[1])
    assert list(problems(root, ["extra/x.txt"])), "the check does not see a planted entry"
    listing = subprocess.run(["git", "-C", root, "ls-files", "-z"], capture_output=True, text=True)
    if listing.returncode != 0:
        print("skipped: not a git checkout")
        return 0
    names = [n for n in listing.stdout.split("\0") if n and (root / n).exists()]
    found = list(problems(root, names))
    print("\n".join(found) or f"{len(names)} files in their places")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
