# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""An installed tree is whole: outside projects in C and C++ build against it, and the program finds its files.

The tree is installed into a scratch folder and then moved, so nothing in it may name where it was made.

Usage: install_test.py SOURCE_DIR BINARY_DIR CMAKE C_COMPILER CXX_COMPILER
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE, BINARY = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
CMAKE, CC, CXX = sys.argv[3:6]
EXAMPLES = SOURCE / "tests/examples"
FOREIGN = re.compile(r"nlohmann|fmt/|fmt::|harness/|CLI/|hdf5")


def run(*words, status=0, **options):
    """The output of a command that has to end with `status`."""
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=200, **options)
    if done.returncode != status:
        raise AssertionError(f"{' '.join(map(str, words))}\nended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


class InstallTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = pathlib.Path(tempfile.mkdtemp(prefix="install_", dir=BINARY))
        run(CMAKE, "--install", BINARY, "--prefix", cls.scratch / "made")
        cls.prefix = cls.scratch / "moved here"
        (cls.scratch / "made").rename(cls.prefix)
        cls.library = next(cls.prefix.glob("lib*/**/libparity.so")).parent
        cls.parity = cls.prefix / "bin/parity"

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.scratch)

    def configure(self, source, build, *more, status=0):
        return run(CMAKE, "-S", source, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DCMAKE_C_COMPILER={CC}",
                   f"-DCMAKE_CXX_COMPILER={CXX}", *more, status=status)

    def built(self, name):
        """The program of an example, built outside the tree against the installed one."""
        source, build = self.scratch / name / "source", self.scratch / name / "build"
        shutil.copytree(EXAMPLES / name, source)
        self.configure(source, build)
        run(CMAKE, "--build", build)
        return build / name

    def project(self, find):
        """The folder of a project whose CMakeLists.txt has the lines `find`."""
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.scratch))
        (folder / "CMakeLists.txt").write_text(
            f"cmake_minimum_required(VERSION 3.20)\nproject(outside LANGUAGES C CXX)\n{find}\n")
        return folder

    def test_c_trainer_records_two_ranks(self):
        program = self.built("c_trainer")
        for ranks in ("1", "2"):
            (self.scratch / ranks).mkdir()
            run(program, self.scratch / ranks / "trace.h5", ranks)
        self.assertTrue((self.scratch / "2/trace.rank1.h5").exists())
        one, two = self.scratch / "1/trace.h5", self.scratch / "2/trace.h5"
        self.assertIn("2 channels and 16 tensors", run(self.parity, "compare", one, two))  # ends with 0: identical

    def test_c_trainer_with_a_fault_differs(self):
        program = next(self.scratch.glob("c_trainer/build/c_trainer"), None) or self.built("c_trainer")
        capture = self.scratch / "capture.json"
        capture.write_text('{"tensors": [{}], "faults": [{"kind": "scale", "phase": "grad", "name": "w", "steps": [3],'
                           ' "size": 0.01, "rank": 1}]}')
        for name, more in (("whole", {}), ("faulty", {"PARITY_CAPTURE": str(capture)})):
            (self.scratch / name).mkdir()
            run(program, self.scratch / name / "trace.h5", "2", env=dict(os.environ, **more))
        run(self.parity, "compare", self.scratch / "whole/trace.h5", self.scratch / "faulty/trace.h5", status=1)

    def test_cpp_trainer_judges_itself(self):
        printed = run(self.built("cpp_trainer"), self.scratch)
        self.assertRegex(printed, r"(?m)^failed, different: loss")
        self.assertRegex(printed, r"(?m)^passed, rounding: ")

    def test_pkg_config_is_enough(self):
        for package, source, compiler in (("parity-recorder", "c_trainer/main.c", [CC]),
                                          ("parity", "cpp_trainer/main.cpp", [CXX, "-std=c++20"])):
            flags = run("pkg-config", "--cflags", "--libs", package,
                        env=dict(os.environ, PKG_CONFIG_PATH=str(self.library / "pkgconfig")))
            flags = [flag.replace("\\ ", " ") for flag in re.split(r"(?<!\\)\s+", flags.strip())]
            program = self.scratch / package
            run(*compiler, EXAMPLES / source, "-o", program, *flags, "-pthread")
            folder = self.scratch / f"{package}.run"
            folder.mkdir()
            run(program, folder / "t.h5" if package == "parity-recorder" else folder,
                env=dict(os.environ, LD_LIBRARY_PATH=str(self.library)))

    def test_other_versions_and_components_are_refused(self):
        for find, word in (("find_package(parity 0.1 REQUIRED)", "0.1"), ("find_package(parity 0.3 REQUIRED)", "0.3"),
                           ("find_package(parity 0.2 REQUIRED COMPONENTS golden)", "golden")):
            folder = self.project(find)
            self.assertIn(word, self.configure(folder, folder / "build", status=1))
        folder = self.project("find_package(parity 0.2 REQUIRED COMPONENTS program)\n"
                              "find_package(parity REQUIRED COMPONENTS recorder trace measure compare)\n"
                              "if(NOT TARGET parity::parity OR NOT TARGET parity::compare)\n  message(FATAL_ERROR no)\nendif()")
        self.configure(folder, folder / "build")

    def test_each_header_stands_alone(self):
        headers = sorted((self.prefix / "include/parity").iterdir())
        self.assertGreaterEqual(len(headers), 12)
        for header in headers:
            self.assertIsNone(FOREIGN.search(header.read_text()), header)
            warnings = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", f"-I{self.prefix / 'include'}", "-"]
            text = f"#include <parity/{header.name}>\nint main(void) {{ return 0; }}\n"
            run(CXX, "-std=c++20", "-x", "c++", *warnings, input=text)
            if header.suffix == ".h":
                run(CC, "-std=c99", "-x", "c", *warnings, input=text)

    def test_program_finds_its_files(self):
        sample = SOURCE / "tests/reports/sample_results.json"
        folder = self.scratch / "report"
        folder.mkdir()
        shutil.copy(sample, folder / "results.json")
        run(self.parity, "report", folder, status=4)  # the sample has a run that crashed
        self.assertTrue((folder / "index.html").exists())
        self.assertTrue((folder / "plotly.min.js").exists())
        self.assertIn("0.2.", run(self.parity, "version"))

    def test_completions_and_manual_page(self):
        share = self.prefix / "share"
        run("bash", "-n", share / "bash-completion/completions/parity")
        self.assertTrue((share / "zsh/site-functions/_parity").read_text().startswith("#compdef parity"))
        self.assertIn("complete -c parity", (share / "fish/vendor_completions.d/parity.fish").read_text())
        page = (share / "man/man1/parity.1").read_text()
        for part in (".TH PARITY 1", ".SH NAME", '.SS "parity run"', '.SS "parity bisect options"', "\\fB\\-\\-out\\fR",
                     "\\fBCASE\\fR", ".SH EXIT STATUS"):
            self.assertIn(part, page)
        self.assertFalse([line for line in page.splitlines() if re.match(r"\.(?!TH|SH|SS|TP|PP|nf|fi)", line)])
        if shutil.which("man"):
            done = subprocess.run(["man", "--warnings=w", "-l", share / "man/man1/parity.1"], stdout=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE, text=True, check=True, env=dict(os.environ, LC_ALL="C.UTF-8"))
            self.assertEqual(done.stderr, "")

    def test_nothing_names_the_build(self):
        for file in self.prefix.rglob("*"):
            if file.is_file() and not file.is_symlink() and file.suffix in (".cmake", ".pc", ".h", ".hpp"):
                self.assertNotIn(str(BINARY), file.read_text(), file)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
