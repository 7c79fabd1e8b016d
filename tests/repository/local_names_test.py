# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""No two sources of a target have a function of one name in their anonymous namespaces.

Sources are compiled in batches (compile_cost.cmake), where such functions are overloads: a call may silently take
the other source's function, if that one fits a conversion better.

Usage: local_names_test.py SOURCE_DIR
"""
import collections
import pathlib
import re
import sys

TARGET = re.compile(r"parity_(?:library|test|program)\((\w+)\s+SOURCES(.*?)(?:LINKS|TORCH|NUMBERS|LABELS|TIMEOUT|\))", re.S)
FUNCTION = re.compile(r"(?:\[\[[^\]]*\]\] )?(?:inline |constexpr |static )*[\w:<>,&*\[\] ]+?[\s&*](\w+)\(")
OTHER = re.compile(r"using |struct |class |enum |const |TEST|INSTANTIATE|MATCHER|[\s}/#{)]")


def local_functions(text):
    """Names of the functions in anonymous namespaces; the sources are formatted, so each begins its line."""
    inside = False
    for line in text.splitlines():
        if line == "namespace {":
            inside = True
        elif line == "}  // namespace":
            inside = False
        elif inside and line and not OTHER.match(line):
            match = FUNCTION.match(line)
            if match:
                yield match.group(1)


def shared_names(sources):
    """{name: sources} of the names that several of these {source: text} have."""
    owners = collections.defaultdict(set)
    for source, text in sources.items():
        for name in local_functions(text):
            owners[name].add(source)
    return {name: sorted(files) for name, files in owners.items() if len(files) > 1}


def targets(root):
    """(name, {source: text}) of each target."""
    for file in sorted(root.glob("[hrt]*/**/CMakeLists.txt")):
        text = re.sub(r"#.*", "", file.read_text())
        for name, words in TARGET.findall(text):
            sources = [file.parent / word for word in words.split() if word.endswith(".cpp")]
            yield name, {str(source.relative_to(root)): source.read_text() for source in sources if source.exists()}


def check_this_test():
    one = "namespace {\n\nstd::string escaped(const std::string& text, std::string_view also) {\n  return f(text);\n}\n\n}  // namespace\n"
    other = "namespace {\nbool escaped(int x);\n}  // namespace\nvoid free_function(int x) {\n}\n"
    assert shared_names({"a.cpp": one, "b.cpp": other}) == {"escaped": ["a.cpp", "b.cpp"]}
    assert shared_names({"a.cpp": one, "b.cpp": other.replace("escaped", "quoted")}) == {}


def main():
    check_this_test()
    root = pathlib.Path(sys.argv[1])
    found = [(name, shared) for name, sources in targets(root) for shared in shared_names(sources).items()]
    assert sum(1 for _ in targets(root)) > 50, "the targets were not found"
    for target, (name, files) in found:
        print(f"{target}: {name}() is a local function of {', '.join(files)}; rename all but one")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
