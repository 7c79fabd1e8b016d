# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Each folder includes only what the design allows, no room includes in a circle, and the rules can fail.

A unit is a header with its source; a circle is a cycle of units by their includes.

Usage: includes_test.py SOURCE_DIR
"""
import pathlib
import re
import sys

HARNESS = ["base", "results", "tensor", "measure", "trace", "laws", "compare", "golden", "suite", "power", "coverage", "bisect", "explain", "repeat", "cli"]
OUTSIDE_LIBRARIES = {  # name -> how its headers are spelled
    "fmt": r"fmt/", "json": r"nlohmann/", "xxhash": r"xxhash\.h", "hdf5": r"hdf5\.h", "toml": r"toml\+\+/",
    "mustache": r"mustache\.hpp", "cli11": r"CLI/", "torch": r"(torch|ATen|c10)/", "cuda": r"(cuda|nccl)",
    "arrow": r"(arrow|parquet)/",
}
# folder -> (folders it may include besides itself, outside libraries)
ALLOWED = {
    "harness/base": ([], ["fmt", "json"]),
    "harness/results": (["harness/base"], []),
    "harness/tensor": (["harness/base"], []),
    "harness/measure": (["harness/base", "harness/tensor"], ["xxhash", "cuda"]),
    "harness/trace": (["harness/base", "harness/tensor", "harness/measure"], ["hdf5", "xxhash"]),
    "harness/compare": (["harness/" + f for f in HARNESS[:6]], []),
    "harness/checkpoints/files": (["harness/" + f for f in HARNESS[:5]], []),  # which the trainer reads too
    "harness/checkpoints": (["harness/" + f for f in HARNESS[:7]] + ["harness/checkpoints/files"], []),
    "harness/laws": (["harness/" + f for f in HARNESS[:5]], []),
    "harness/explain": (["harness/" + f for f in HARNESS[:7]], []),
    "harness/logs": (["harness/" + f for f in HARNESS[:7]], []),
    "harness/api": (["harness/" + f for f in HARNESS[:7]], []),
    "harness/api/device": (["harness/" + f for f in HARNESS[:7]] + ["harness/api"], ["cuda"]),
    "harness/operators": (["harness/" + f for f in HARNESS[:5]], []),
    "harness/operators/judge": (["harness/" + f for f in HARNESS[:7]] + ["harness/operators"], []),
    "harness/golden": (["harness/base", "harness/tensor", "harness/trace", "harness/compare"], ["hdf5"]),
    "harness/suite": (["harness/" + f for f in HARNESS[:8]] + ["harness/operators", "harness/operators/judge"], ["toml"]),
    "harness/power": (["harness/" + f for f in HARNESS[:9]], []),
    "harness/coverage": (["harness/" + f for f in HARNESS[:9]], []),
    "harness/bisect": (["harness/" + f for f in HARNESS[:9]] + ["harness/operators", "harness/operators/judge"], []),
    "harness/repeat": (["harness/" + f for f in HARNESS[:9]], []),
    "harness/reveal": (["harness/" + f for f in HARNESS[:9]] + ["harness/operators", "harness/operators/judge"], []),
    "harness/cli": (["harness/" + f for f in HARNESS] + ["harness/reveal", "harness/checkpoints", "harness/checkpoints/files", "harness/logs", "reports"], ["cli11"]),
    "harness/main.cpp": (["harness/" + f for f in HARNESS] + ["reports"], ["cli11"]),
    "reports": (["harness/base", "harness/results"], ["mustache"]),
    "reference": (["harness/base", "harness/tensor", "harness/measure", "harness/trace", "harness/checkpoints/files", "harness/operators"], ["torch", "cuda", "toml", "arrow"]),
}
# folder -> its rooms -> the neighbouring rooms that each may include; "" is the folder itself. A room may have
# rooms of its own: it is then a folder of the table too.
ROOMS = {
    "harness/base": {
        "text": [],
        "terminal": ["text"],
        "": ["text"],
        "json": ["", "text"],
        "files": ["", "text", "json"],
        "processes": ["", "text", "json"],
    },
    "harness/compare": {
        "text": [],
        "curves": ["text"],
        "tensors": ["text", "curves"],
        "checks": ["text"],
        "sides": ["text", "curves", "checks"],
        "twins": ["text", "curves", "tensors", "checks", "sides"],
        "bounds": ["text", "curves", "tensors", "checks", "sides"],
        "traces": ["text", "curves", "tensors", "checks", "sides"],
        "relations": ["text", "curves", "tensors", "checks", "sides", "twins", "bounds", "traces"],
        "": ["text", "curves", "tensors", "checks", "sides", "twins", "bounds", "traces", "relations"],
    },
    "harness/laws": {
        "run": [],
        "": ["run"],
        "gradients": ["", "run"],
        "muon": ["", "run"],
        "updates": ["", "run", "muon"],
        "schedules": ["", "run"],
        "ranks": ["", "run"],
        "batches": ["", "run", "ranks"],
        "restarts": ["", "run", "batches", "schedules"],
        "rollouts": ["", "run"],
    },
    "harness/coverage": {"table": [], "": ["table"], "propose": ["", "table"]},
    "harness/operators": {"problem": [], "runner": ["problem"], "exact": ["problem", "runner"], "judge": ["problem"]},
    "harness/explain": {"": [], "topics": [""]},
    "harness/logs": {"": [], "read": [""], "compare": [""]},
    "harness/cli": {
        "options": [],
        "print": [],
        "verbs": ["options", "print"],
        "compare": ["options", "print", "verbs"],
        "bisect": ["options", "print", "verbs"],
        "": ["options", "print", "verbs", "compare", "bisect"],
    },
    "harness/checkpoints": {
        "files": [],
        "views": ["files"],
        "match": ["files", "views"],
        "": ["files", "views", "match"],
    },
    "harness/measure": {
        "lanes": [],
        "tensor": ["lanes"],
        "difference": ["lanes", "tensor"],
        "cuda": ["lanes", "tensor", "difference"],
    },
    "harness/trace": {"hdf5": [], "format": ["hdf5"], "read": ["hdf5", "format"], "write": ["hdf5", "format", "read"]},
    "harness/suite": {
        "cases": [],
        "plan": ["cases"],
        "launch": ["cases", "plan"],
        "runs": ["cases", "plan", "launch"],
        "slurm": ["cases", "plan", "runs"],
        "judge": ["cases", "plan", "runs"],
        "results": ["cases", "plan", "runs", "judge"],
        "goldens": ["cases", "plan", "runs", "judge", "results"],
        "derived": ["cases", "plan", "runs", "judge"],
        "": ["cases", "plan", "runs", "slurm", "judge", "results", "goldens"],
    },
    "harness/suite/results": {"pictures": [], "commands": [], "file": [""], "": ["pictures", "commands"]},
    "harness/bisect": {
        "": [],
        "search": [],
        "traces": [""],
        "runs": ["", "traces"],
        "operators": [""],
        "options": ["", "search"],
        "commits": ["", "search"],
        "golden": ["", "traces", "runs", "options", "commits"],
        "versions": ["", "search", "commits"],
    },
    "reports": {
        "model": [],
        "text": ["model"],
        "html": ["model"],
        "plots": ["model", "text"],
        "search": ["model", "html"],
        "compare": ["model", "html", "plots", "text"],
        "coverage": ["model", "html"],
        "": ["model", "text", "html", "plots", "search", "compare", "coverage"],
    },
    "reports/model": {"": [], "checks": [""], "curves": [""], "suite": ["", "checks", "curves"]},
    "reference/train": {
        "checks": ["numerics"],
        "numerics": [],
        "step": ["checks", "numerics"],
        "capture": ["numerics", "step"],
        "checkpoint": ["numerics", "step"],
        "run": ["checks", "numerics", "step", "capture", "checkpoint"],
    },
    "reference/parallel": {
        "core": [],
        "data": ["core"],
        "model": ["core"],
        "pipeline": ["core"],
        "": ["core", "data", "model", "pipeline"],
    },
}
ALWAYS = ["fmt", "json"]  # through harness/base, which every folder may use
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def folder_of(path):
    """The longest key of ALLOWED that contains `path`, or None."""
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


def rooms_of(path):
    """The folders of ROOMS that contain `path` -> its room there; of nested folders, each."""
    found = {}
    for folder in ROOMS:
        if path.startswith(folder + "/"):
            parts = path[len(folder) + 1:].split("/")
            found[folder] = parts[0] if len(parts) > 1 else ""
    return found


def included(text):
    """Names between quotes in the include lines of `text`, with their line numbers."""
    matches = ((number, INCLUDE.match(line)) for number, line in enumerate(text.splitlines(), 1))
    return [(number, match[2]) for number, match in matches if match and match[1] == '"']


def room_violations(path, text):
    """Sentences about includes of `text` from one room into another that the table does not have."""
    found = []
    for folder, room in rooms_of(path).items():
        if room not in ROOMS[folder]:
            found.append(f"{path}: {folder} has no room {room or '(its own files)'}; add it to ROOMS")
            continue
        for number, name in included(text):
            target = rooms_of(name).get(folder, room)
            if target not in (room, *ROOMS[folder][room]):
                found.append(f"{path}:{number}: room {room or folder} may not include {target or folder} ({name})")
    return found


# Sources that make what their header's heirs are (make_optimizer), or share a private header with their siblings
# (Group::Shared). Each is a unit of its own: nobody who includes the header needs it.
FACTORIES = {
    "reference/comm/group.cpp", "reference/cuda/plugin.cpp", "reference/data/corpus.cpp", "reference/data/documents.cpp",
    "reference/data/packing/packing.cpp", "reference/data/rows.cpp", "reference/optim/optimizer.cpp",
    "reference/optim/schedules/schedule.cpp", "reference/rl/generator/generator.cpp",
}


def unit_of(path):
    if path in FACTORIES:
        return path
    return re.sub(r"\.(hpp|cpp|h|cu)$", "", path)


def circles(files):
    """The circles of units: lists of units that include each other, directly or through others.

    files: path -> text
    """
    edges = {unit_of(path): set() for path in files}
    for path, text in files.items():
        edges[unit_of(path)] |= {unit_of(name) for _, name in included(text)} & edges.keys() - {unit_of(path)}
    reached = {}
    for start in edges:
        seen, waiting = set(), [start]
        while waiting:
            fresh = edges[waiting.pop()] - seen
            seen |= fresh
            waiting.extend(fresh)
        reached[start] = seen
    found = {tuple(sorted(u for u in reached[unit] if unit in reached[u])) for unit in edges if unit in reached[unit]}
    return sorted(found)


def rooms_in_a_circle(rooms):
    """The circles of a table of ROOMS: tuples of rooms that may include each other, directly or through others."""
    files = {f"{room or '.'}/x.cpp": "".join(f'#include "{other or "."}/x.hpp"\n' for other in others)
             for room, others in rooms.items()}
    return [tuple(unit.removesuffix("/x") for unit in circle) for circle in circles(files)]


def planted_violations_are_seen():
    planted = '#include <hdf5.h>\n#include "harness/cli/verbs/verbs.hpp"\n#include "harness/base/error.hpp"\n'
    assert len(violations("harness/compare/x.cpp", planted)) == 2, "the check does not see a planted violation"
    planted = '#include "harness/suite/judge/evidence.hpp"\n#include "harness/suite/cases/case.hpp"\n'
    assert len(room_violations("harness/suite/plan/x.cpp", planted)) == 1, "a planted room violation is not seen"
    assert len(room_violations("harness/suite/attic/x.cpp", planted)) == 1, "a room that is not in the table is not seen"
    for home, name in [("base/text", "base/error.hpp"), ("base/terminal", "base/files/file.hpp"),
                       ("compare/checks", "compare/sides/side.hpp"), ("compare/curves", "compare/judge.hpp"),
                       ("compare/twins", "compare/bounds/bound.hpp"), ("cli/options", "cli/verbs/verbs.hpp"),
                       ("cli/verbs", "cli/program.hpp"), ("cli/print", "cli/options/runs.hpp"),
                       ("measure/lanes", "measure/tensor/digest.hpp"),
                       ("suite/results/file", "suite/results/pictures/curves.hpp")]:
        foreign = f'#include "harness/{name}"\n'
        assert len(room_violations(f"harness/{home}/x.cpp", foreign)) == 1, f"{home} may include {name}"
    planted = '#include "reports/model/suite/results.hpp"\n#include "reports/html/page.hpp"\n'
    assert len(room_violations("reports/model/checks/x.cpp", planted)) == 2, "a nested room is not seen"
    ring = {"a/x.hpp": "", "a/x.cpp": '#include "a/y.hpp"', "a/y.hpp": '#include "a/z.hpp"',
            "a/z.cpp": '#include "a/x.hpp"', "a/z.hpp": "", "a/alone.hpp": '#include "a/x.hpp"'}
    assert circles(ring) == [("a/x", "a/y", "a/z")], "a planted circle is not seen"
    del ring["a/z.cpp"]
    assert circles(ring) == [], "a circle is seen where none is"
    assert rooms_in_a_circle({"": ["a"], "a": ["b"], "b": [""]}) == [(".", "a", "b")], "a circle of rooms is not seen"
    assert rooms_in_a_circle({"": ["a", "b"], "a": ["b"], "b": []}) == [], "a circle of rooms is seen where none is"


def main():
    root = pathlib.Path(sys.argv[1])
    planted_violations_are_seen()
    files = [f for top in ("harness", "reference", "reports") for s in ("*.hpp", "*.cpp", "*.h", "*.cu")
             for f in sorted((root / top).rglob(s))]
    assert len(files) > 20, f"only {len(files)} files found under {root}"
    texts = {str(f.relative_to(root)): f.read_text() for f in files}
    missing = FACTORIES - texts.keys()
    assert not missing, f"FACTORIES names files that are not there: {sorted(missing)}"
    found = [v for path, text in texts.items() for check in (violations, room_violations) for v in check(path, text)]
    found += ["circle of units: " + ", ".join(circle) for circle in circles(texts)]
    found += [f"circle of rooms in {folder}: " + ", ".join(circle)
              for folder, rooms in ROOMS.items() for circle in rooms_in_a_circle(rooms)]
    if found:
        found.append("ALLOWED and ROOMS in tests/repository/includes_test.py say what a folder or room may include")
    print("\n".join(found) or f"{len(files)} files include only what they may")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
