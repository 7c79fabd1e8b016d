# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Finds circles of units in a folder: header and source of one name are a unit, which includes what either includes.

Headers alone may have no circle where units have one: then no part of the folder can be read, linked or tested
without the rest.

Usage: unit_circles.py SOURCE_DIR FOLDER...
"""
import pathlib
import re
import sys
import tempfile

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)\.(?:hpp|h)"', re.M)
SUFFIXES = (".hpp", ".cpp", ".h", ".cu")


def units(root, folder):
    """{unit: units of `folder` that it includes}; a unit is the path of its files below `root`, without suffix."""
    edges = {}
    for file in sorted((root / folder).rglob("*")):
        if file.suffix in SUFFIXES:
            unit = file.relative_to(root).with_suffix("").as_posix()
            edges.setdefault(unit, set()).update(INCLUDE.findall(file.read_text()))
    return {unit: sorted((targets & edges.keys()) - {unit}) for unit, targets in edges.items()}


def reachable(edges, start):
    """Every node that a path of one edge or more leads to from `start`."""
    seen, waiting = set(), list(edges[start])
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen.add(node)
            waiting += edges[node]
    return seen


def groups(edges):
    """Sorted lists of the nodes that reach each other, of two nodes or more."""
    reach = {node: reachable(edges, node) for node in edges}
    found = {tuple(sorted(other for other in reach[node] if node in reach[other])) for node in edges if node in reach[node]}
    return [list(group) for group in sorted(found)]


def circles(root, folder):
    """Groups of units of `folder` that include each other in a circle. An empty list is what is wanted."""
    return groups(units(pathlib.Path(root), folder))


def room_circles(root, folder):
    """Groups of rooms, the folders directly below `folder`, whose units include each other in a circle."""
    def room(unit):
        below = unit[len(folder) + 1:]
        return below.split("/")[0] if "/" in below else "."
    edges = {}
    for unit, targets in units(pathlib.Path(root), folder).items():
        edges.setdefault(room(unit), set()).update(room(target) for target in targets)
    return groups({name: sorted(targets - {name}) for name, targets in edges.items()})


def check_planted():
    """Shows that the checks see a circle of units, which is also one of rooms, and none in its absence."""
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        for path, text in {"f/x/a.hpp": "", "f/x/a.cpp": '#include "f/y/b.hpp"\n', "f/y/b.hpp": '#include "f/x/a.hpp"\n',
                           "f/y/c.cpp": '#include "f/y/b.hpp"\n'}.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
        assert circles(root, "f") == [["f/x/a", "f/y/b"]], "a planted circle of units is not seen"
        assert room_circles(root, "f") == [["x", "y"]], "a planted circle of rooms is not seen"
        (root / "f/x/a.cpp").write_text("")
        assert circles(root, "f") == [] and room_circles(root, "f") == [], "a circle is seen where there is none"


def main():
    check_planted()
    found = 0
    for folder in sys.argv[2:]:
        for kind, check in (("units", circles), ("rooms", room_circles)):
            for group in check(sys.argv[1], folder):
                print(f"{folder}: circle of {kind}: {' '.join(group)}")
                found += 1
    print(f"{found} circles in {' '.join(sys.argv[2:])}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
