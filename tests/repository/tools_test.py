# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Text files follow .editorconfig, and the hooks of .pre-commit-config.yaml do what they say.

Usage: tools_test.py SOURCE_DIR           the text files alone; also a hook
       tools_test.py SOURCE_DIR --hooks   the hooks as well
"""
import fnmatch
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

import yaml_subset

ROOT = pathlib.Path(sys.argv[1]).resolve()


def editor_rules(text):
    """[(glob, {property: value})] of an .editorconfig."""
    rules = []
    for line in text.splitlines():
        line = line.strip()
        if line.startswith("[") and line.endswith("]"):
            rules.append((line[1:-1], {}))
        elif "=" in line and not line.startswith("#") and rules:
            name, value = (word.strip() for word in line.split("=", 1))
            rules[-1][1][name] = value
    return rules


def alternatives(glob):
    """The globs that `glob` expands to: one per word of its {a,b}."""
    match = re.search(r"\{([^}]*)\}", glob)
    if not match:
        return [glob]
    return [glob[:match.start()] + word + glob[match.end():] for word in match.group(1).split(",")]


def rules_of(path, rules):
    """The properties of a file; a later section overrides an earlier one. "*" crosses folders, as in fnmatch."""
    found = {}
    for glob, values in rules:
        if any(fnmatch.fnmatchcase(path, one.replace("**", "*")) for one in alternatives(glob)):
            found.update(values)
    return {name: value for name, value in found.items() if value != "unset"}


def editor_problems(path, data, rules):
    """Sentences about the bytes `data` of the file `path`."""
    wanted = rules_of(path, rules)
    if b"\0" in data or not data or "charset" not in wanted:
        return
    try:
        text = data.decode()
    except UnicodeDecodeError:
        yield f"{path}: not {wanted['charset']}"
        return
    if wanted.get("end_of_line") == "lf" and "\r" in text:
        yield f"{path}: a line ends with a carriage return"
    if wanted.get("insert_final_newline") == "true" and not text.endswith("\n"):
        yield f"{path}: no newline at the end"
    for number, line in enumerate(text.splitlines(), 1):
        if wanted.get("trim_trailing_whitespace") == "true" and line != line.rstrip():
            yield f"{path}:{number}: blanks at the end of the line"
        if wanted.get("indent_style") == "space" and line.startswith("\t"):
            yield f"{path}:{number}: a tab as indent"


def tracked():
    listing = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], capture_output=True, text=True, check=True)
    return [name for name in listing.stdout.split("\0") if (ROOT / name).is_file()]


def editorconfig_problems():
    rules = editor_rules((ROOT / ".editorconfig").read_text())
    for data in (b"a \n", b"a", b"a\r\n", b"\ta\n", b"\xff\n"):
        assert list(editor_problems("x/y.md", data, rules)), f"the check does not see {data}"
    width = re.search(r"ColumnLimit: (\d+)", (ROOT / ".clang-format").read_text()).group(1)
    assert rules_of("x/y.hpp", rules)["max_line_length"] == width, "not the width of .clang-format"
    for name in tracked():
        yield from editor_problems(name, (ROOT / name).read_bytes(), rules)


def run_hook(hook, names, where):
    command = shlex.split(hook["entry"]) + ([] if hook.get("pass_filenames") is False else names)
    done = subprocess.run(command, cwd=where, capture_output=True, text=True)
    return f"{hook['id']}: {done.stdout}{done.stderr}" if done.returncode else None


def planted_problems(hooks):
    """Sentences about hooks that do not see what is planted in a scratch folder."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        (folder / ".clang-format").write_text((ROOT / ".clang-format").read_text())
        (folder / "a.cpp").write_text("int  main( ){return 0 ;}\n")
        run_hook(hooks["clang-format"], ["a.cpp"], folder)
        if (folder / "a.cpp").read_text() != "int main() {\n  return 0;\n}\n":
            yield "clang-format: left a file as it was"
        (folder / "a.sh").write_text("true\n")
        (folder / "b.sh").write_text("if true\n")
        if not run_hook(hooks["shell-syntax"], ["a.sh", "b.sh"], folder):
            yield "shell-syntax: does not see a script that does not parse"


def hook_problems(names):
    config = yaml_subset.load((ROOT / ".pre-commit-config.yaml").read_text())
    assert all(repository["repo"] == "local" for repository in config["repos"]), "a hook would be downloaded"
    hooks = {hook["id"]: hook for repository in config["repos"] for hook in repository["hooks"]}
    for hook in hooks.values():
        chosen = [name for name in names if re.search(hook.get("files", ""), name)]
        if hook["language"] != "system" or not chosen:
            yield f"{hook['id']}: not a program of this machine, or {hook.get('files')} matches no file"
        elif hook["id"] != "clang-format":  # .ci/run checks the format of all files
            problem = run_hook(hook, chosen, ROOT)
            if problem:
                yield problem
    yield from planted_problems(hooks)


def main():
    if subprocess.run(["git", "-C", ROOT, "rev-parse"], capture_output=True).returncode != 0:
        print("skipped: not a git checkout")
        return 0
    found = list(editorconfig_problems())
    if "--hooks" in sys.argv:
        found += hook_problems(tracked())
    print("\n".join(found) or f"{len(tracked())} files follow .editorconfig")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
