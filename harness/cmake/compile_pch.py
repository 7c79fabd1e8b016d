# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Runs a compiler. Beside each header that clang precompiles, writes what ccache hashes in its place: HEADER.pch.sum.

Usage: compile_pch.py SOURCE_DIR COMPILER ARGUMENTS ...

clang's file holds the paths of its folder, so two checkouts would share no object that includes it. The sum is of what the
file was made from: the preprocessed text and the arguments, without the path of the checkout.
"""
import hashlib
import pathlib
import subprocess
import sys


def main():
    source, command = sys.argv[1], sys.argv[2:]
    if "-emit-pch" not in command:
        sys.exit(subprocess.run(command).returncode)
    place = pathlib.Path(command[command.index("-o") + 1])
    total = place.with_name(place.name + ".sum")
    total.unlink(missing_ok=True)  # never an old sum beside a new header
    done = subprocess.run(command).returncode
    if done == 0:
        total.write_text(digest(source, command))
    sys.exit(done)


def digest(source, command):
    at, of_header = command.index("-o"), command.index("-emit-pch")
    left = [word for index, word in enumerate(command)
            if index not in (of_header - 1, of_header, at, at + 1) and word != "-c"]
    while "-MF" in left:
        del left[left.index("-MF"):left.index("-MF") + 2]
    text = subprocess.run([*left, "-E", "-dD", "-P", "-o", "-"], stdout=subprocess.PIPE, check=True).stdout
    arguments = "\0".join(command).replace(source, "")
    return hashlib.sha256(arguments.encode() + b"\0" + text).hexdigest()


if __name__ == "__main__":
    main()
