# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Every command that the README and the skill show in a console or sh block works, with the exit status it promises.

Usage: readme_test.py SOURCE_DIR BINARY_DIR

A command is a line "$ command" of a ```console block; "# exit N" after it promises another status than 0; an output
line under it must occur in what the command prints ("..." lines are skipped). A ```toml block whose first line is
"# NAME.toml" is that file. They run in order in one scratch folder that has a copy of the tree's cases and goldens, and of
the example scripts that the README links to, with the built programs and Python with PyTorch first on PATH.

The lines of the ```sh block are run with bash in a git repository that holds three cases of lr and their goldens, whose
origin/main is its own commit; a line for shard 1/3 represents all three. Their models are small and their goldens recorded
again, because these lines promise what the program does, not what a model computes. The shards train everything again.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time


def commands_of(text):
    """(command, exit status, expected output lines) of each command in the console blocks of `text`."""
    found = []
    for block in re.findall(r"^```console\n(.*?)^```", text, re.M | re.S):
        for line in block.splitlines():
            if line.startswith("$ "):
                command, _, promise = line[2:].partition("  # exit ")
                found.append((command.strip(), int(promise or 0), []))
            elif found and line.strip() and line.strip() != "...":
                found[-1][2].append(line.strip())
    return found


def write_files_of(text, folder):
    """The case files that the README shows whole."""
    for name, body in re.findall(r"^```toml\n# (\S+\.toml)\n(.*?)^```", text, re.M | re.S):
        (pathlib.Path(folder) / name).write_text(body)


def copy_scripts_of(text, source, folder):
    """The example scripts that a document links to by their names."""
    for name, place in re.findall(r"\[(\w+\.py)\]\((tests/examples/[^)]+)\)", text):
        shutil.copyfile(source / place, pathlib.Path(folder) / name)


def shell_lines_of(text):
    """(command, 0, []) of each line of the sh blocks of `text`."""
    lines = "\n".join(re.findall(r"^```sh\n(.*?)^```", text, re.M | re.S)).splitlines()
    commands = [re.sub(r"\s+#.*", "", line) for line in lines]
    shards = [re.sub("1/3", f"{i}/3", re.sub("shard1", f"shard{i}", line))
              for line in commands if "--shard 1/3" in line for i in (2, 3)]
    at = max((i for i, line in enumerate(commands) if "--shard" in line), default=-1) + 1
    return [(command, 0, []) for command in commands[:at] + shards + commands[at:]]


def made_small(case):
    """The text of a case whose model trains in a second or two, also at the rate that the README sets."""
    if "[base.architecture]" in case:
        return case
    small = "architecture = { dim = 128, n_layers = 1, n_heads = 4, vocab_size = 256, ffn_hidden = 256 }"
    changed = re.sub(r"^(steps += \d+)$", rf"\1\n{small}", case, count=1, flags=re.M)
    assert changed != case, "the case has no line for its steps"
    return changed


def make_repository(source, folder, environment):
    """A git repository with three cases of one topic and their goldens; origin/main is its commit."""
    for file in source.glob("cases/lr/w*.toml"):
        copy = folder / file.relative_to(source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(made_small(file.read_text()))
    problem = problem_with("parity golden record", 0, [], folder, environment)
    assert problem is None, problem
    shutil.rmtree(folder / "out")
    git = ["git", "-c", "user.name=test", "-c", "user.email=test@example.org"]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "Cases of lr"],
                  ["update-ref", "refs/remotes/origin/main", "HEAD"]):
        subprocess.run(git + words, cwd=folder, check=True)


def print_time(command, begin):
    print(f"{time.monotonic() - begin:6.1f} s  {command}", flush=True)


def problem_with(command, status, lines, folder, environment):
    """A sentence if the command does not do what the README says, else None."""
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True,
                          timeout=600)
    if done.returncode != status:
        return f"$ {command}\n  exit status {done.returncode}, promised {status}\n{done.stdout}{done.stderr}"
    squeezed = re.sub(r"\s+", " ", done.stdout + done.stderr)
    for line in lines:
        if re.sub(r"\s+", " ", line) not in squeezed:
            return f"$ {command}\n  does not print: {line}\n{done.stdout}{done.stderr}"
    return None


def main():
    source, binary = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    readme = (source / "README.md").read_text()
    commands = commands_of(readme)
    assert len(commands) >= 5, f"only {len(commands)} commands found in README.md"
    skill = commands_of((source / ".github/skills/parity/SKILL.md").read_text())
    assert len(skill) >= 5, f"only {len(skill)} commands found in SKILL.md"
    lines = shell_lines_of(readme)
    assert len(lines) >= 5, f"only {len(lines)} lines found in the README's sh blocks"
    environment = dict(os.environ, PATH=f"{binary / 'bin'}:{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}",
                       PYTHONPATH=str(source / "harness/python/src"), COLUMNS="100",
                       PARITY_RECORDER_LIBRARY=str(binary / "lib/libparity-recorder.so"))
    with tempfile.TemporaryDirectory() as scratch, tempfile.TemporaryDirectory() as repository:
        make_repository(source, pathlib.Path(repository), environment)
        for name in ("cases", "golden"):
            shutil.copytree(source / name, pathlib.Path(scratch) / name)
        write_files_of(readme, scratch)
        copy_scripts_of(readme, source, scratch)
        assert problem_with("false", 0, [], scratch, environment), "the check does not see a failing command"
        for folder, group in ((scratch, commands), (scratch, skill), (repository, lines)):
            for command, status, expected in group:
                begin = time.monotonic()
                problem = problem_with(command, status, expected, folder, environment)
                print_time(command, begin)
                if problem:
                    print(problem)
                    return 1
    print(f"{len(commands) + len(skill) + len(lines)} commands of the README and the skill work")
    return 0


if __name__ == "__main__":
    sys.exit(main())
