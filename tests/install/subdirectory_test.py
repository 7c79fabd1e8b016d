# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Another project builds with the tree inside it: its own warnings and build type, our libraries alone.

Usage: subdirectory_test.py SOURCE_DIR BINARY_DIR CMAKE C_COMPILER CXX_COMPILER
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

SOURCE, BINARY = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
CMAKE, CC, CXX = sys.argv[3:6]


def main():
    build = pathlib.Path(tempfile.mkdtemp(prefix="subdirectory_", dir=BINARY))
    try:
        subprocess.run([CMAKE, "-S", SOURCE / "tests/install/subdirectory", "-B", build, "-G", "Ninja",
                        f"-DPARITY_SOURCE={SOURCE}", "-DCMAKE_BUILD_TYPE=Release", f"-DCMAKE_C_COMPILER={CC}",
                        f"-DCMAKE_CXX_COMPILER={CXX}"], check=True)
        subprocess.run([CMAKE, "--build", build, "--target", "outer", "-j", "2"], check=True)
        subprocess.run([build / "outer"], cwd=build, check=True)
    finally:
        shutil.rmtree(build)


if __name__ == "__main__":
    main()
