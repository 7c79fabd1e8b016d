# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Each folder has a namespace of its own, and its tests are in the same one.

Usage: namespaces_test.py SOURCE_DIR
"""
import pathlib
import re
import sys

ROOMS = ["measure", "trace", "compare", "checkpoints", "laws", "logs", "golden", "results", "suite", "power", "bisect", "cli"]
# folder -> the namespaces that its files and its tests may open; nested ones are fine
NAMESPACES = {
    "harness/base": ["parity"],
    "harness/tensor": ["parity"],
    **{f"harness/{room}": [f"parity::{room}"] for room in ROOMS},
    "harness/trace": ["parity::trace", "parity::hdf5"],  # the wrapper of the library, which goldens use too
    "harness/api": ["parity::api", "parity::capi", "parity::facade"],
    "tests/harness/api": ["parity", "parity::capi"],
    "reports": ["parity::reports"],
    "reference": ["parity::reference"],
}
BLOCK = re.compile(r"^(?:inline )?namespace (parity[\w:]*) \{", re.M)


def namespaces_of(path):
    """The namespaces that the file `path` may open, or None."""
    names = (path, path.removeprefix("tests/"))
    folder = max((f for f in NAMESPACES if any(n.startswith(f + "/") for n in names)), key=len, default=None)
    return NAMESPACES.get(folder)


def violations(path, text):
    """Sentences about namespaces of `text` that the file `path` may not open."""
    allowed = namespaces_of(path)
    if allowed is None:
        return []
    found = []
    for match in BLOCK.finditer(text):
        name = match[1]
        exact = "parity" in allowed
        if not any(name == a or not exact and name.startswith(a + "::") for a in allowed):
            line = text[:match.start()].count("\n") + 1
            found.append(f"{path}:{line}: namespace {name} (its folder has {' or '.join(allowed)})")
    return found


def planted_violations_are_seen():
    assert violations("harness/suite/cases/x.hpp", "namespace parity {\n") != []
    assert violations("harness/suite/cases/x.hpp", "namespace parity::suite {\nnamespace {\n") == []
    assert violations("tests/harness/suite/cases/x_test.cpp", "namespace parity::bisect {\n") != []
    assert violations("harness/base/text/x.hpp", "namespace parity::text {\n") != []
    assert violations("harness/measure/cuda/x.hpp", "namespace parity::measure::cuda {\n") == []
    assert violations("harness/suiteplan/x.hpp", "namespace parity {\n") == []


def main():
    planted_violations_are_seen()
    root = pathlib.Path(sys.argv[1])
    files = [f for top in ("harness", "reports", "reference", "tests") for s in ("*.hpp", "*.cpp", "*.h", "*.cu")
             for f in sorted((root / top).rglob(s))]
    assert len(files) > 20, f"only {len(files)} files found under {root}"
    found = [v for f in files for v in violations(str(f.relative_to(root)), f.read_text())]
    print("\n".join(found) or f"{len(files)} files open the namespace of their folder")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
