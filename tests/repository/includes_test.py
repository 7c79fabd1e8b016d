# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Each folder includes only what the design allows, and the rule itself can fail.

Usage: includes_test.py SOURCE_DIR
"""
import pathlib
import re
import sys

HARNESS = ["base", "tensor", "measure", "trace", "compare", "golden", "suite", "power", "bisect", "cli"]
OUTSIDE_LIBRARIES = {  # name -> how its headers are spelled
    "fmt": r"fmt/", "json": r"nlohmann/", "xxhash": r"xxhash\.h", "hdf5": r"hdf5\.h", "toml": r"toml\+\+/",
    "mustache": r"mustache\.hpp", "cli11": r"CLI/", "torch": r"(torch|ATen|c10)/", "cuda": r"(cuda|nccl)",
}
# folder -> (folders it may include besides itself, outside libraries)
ALLOWED = {
    "harness/base": ([], ["fmt", "json"]),
    "harness/tensor": (["harness/base"], []),
    "harness/measure": (["harness/base", "harness/tensor"], ["xxhash", "cuda"]),
    "harness/trace": (["harness/base", "harness/tensor", "harness/measure"], ["hdf5", "xxhash"]),
    "harness/compare": (["harness/base", "harness/tensor", "harness/measure", "harness/trace"], []),
    "harness/golden": (["harness/base", "harness/tensor", "harness/trace", "harness/compare"], ["hdf5"]),
    "harness/suite": (["harness/" + f for f in HARNESS[:6]], ["toml"]),
    "harness/power": (["harness/" + f for f in HARNESS[:7]], []),
    "harness/bisect": (["harness/" + f for f in HARNESS[:7]], []),
    "harness/cli": (["harness/" + f for f in HARNESS] + ["reports"], ["cli11"]),
    "harness/main.cpp": (["harness/" + f for f in HARNESS] + ["reports"], ["cli11"]),
    "reports": (["harness/base"], ["mustache"]),
    "reference": (["harness/base", "harness/tensor", "harness/measure", "harness/trace"], ["torch", "cuda", "toml"]),
}
ALWAYS = ["fmt", "json"]  # through harness/base, which every folder may use
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def folder_of(path):
    """The longest key of ALLOWED that `path` lies in, or None."""
    keys = [k for k in ALLOWED if path == k or path.startswith(k + "/")]
    return max(keys, key=len, default=None)


def violations(path, text):
    """Sentences about include lines of `text` that the file `path` may not have."""
    home = folder_of(path)
    folders, libraries = ALLOWED[home]
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        quote, name = match.groups()
        if quote == '"':
            target = folder_of(name)
            if target is not None and target != home and target not in folders:
                found.append(f"{path}:{number}: {home} may not include {target} ({name})")
        else:
            for library, pattern in OUTSIDE_LIBRARIES.items():
                if re.match(pattern, name) and library not in libraries + ALWAYS:
                    found.append(f"{path}:{number}: {home} may not use {library} ({name})")
    return found


def main():
    root = pathlib.Path(sys.argv[1])
    planted = '#include <hdf5.h>\n#include "harness/cli/verbs.hpp"\n#include "harness/base/error.hpp"\n'
    assert len(violations("harness/compare/x.cpp", planted)) == 2, "the check does not see a planted violation"
    files = [f for top in ("harness", "reference", "reports") for s in ("*.hpp", "*.cpp", "*.h", "*.cu")
             for f in sorted((root / top).rglob(s))]
    assert len(files) > 20, f"only {len(files)} files found under {root}"
    found = [v for f in files for v in violations(str(f.relative_to(root)), f.read_text())]
    print("\n".join(found) or f"{len(files)} files include only what they may")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
