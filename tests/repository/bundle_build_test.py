# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""A build from a bundle without a network, in an empty network namespace, as an ordinary user.

The bundle is written here, with the network of this machine, or is the one that PARITY_TEST_BUNDLE names. Then a copy of the
source is configured and built by the user nobody, who sees no network interface but a dead loopback.

Usage: bundle_build_test.py SOURCE_DIR [TEST...]     as root; else, and where a bundle cannot be written, status 77 (skipped)
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1)).resolve()
NOBODY = 65534
SKIPPED = 77
INSIDE = ["unshare", "--net", "setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--no-new-privs"]
CONFIGURE = ["cmake", "-S", "source", "-B", "source/build/release", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug",
             "-DCMAKE_CXX_FLAGS_DEBUG=-O0", "-DPARITY_REFERENCE=OFF"]


def skip(reason):
    print(f"SKIPPED: {reason}", file=sys.stderr)
    sys.exit(SKIPPED)


def skip_unless_possible():
    if os.geteuid() != 0:
        skip("needs root, to make a network namespace and to become another user")
    done = subprocess.run([*INSIDE, "true"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        skip(f"needs network namespaces (unshare --net): {done.stderr.strip()}")


def write_bundle(folder):
    """A bundle without LibTorch, for the harness alone."""
    if given := os.environ.get("PARITY_TEST_BUNDLE"):
        shutil.copytree(given, folder)
        return
    done = subprocess.run([sys.executable, SOURCE / "harness/cmake/bundle.py", "write", folder, "--slim", "--section", "harness"],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        skip(f"needs Debian's packages from a network: {(done.stderr or done.stdout).strip()}")


def copy_source(to):
    """The files that git knows or would add, without the history."""
    names = subprocess.run(["git", "-C", SOURCE, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                           capture_output=True, text=True, check=True).stdout.split("\0")
    for name in filter(None, names):
        if (SOURCE / name).is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(SOURCE / name, to / name)


class BundleBuildTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="bundle_build_")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        write_bundle(cls.folder / "bundle")
        copy_source(cls.folder / "source")
        subprocess.run(["chown", "-R", f"{NOBODY}:{NOBODY}", cls.folder], check=True)

    def inside(self, *words, status=0):
        """Runs a command as nobody without a network. \\return its output"""
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(self.folder), "LANG": "C.UTF-8", "CCACHE_DISABLE": "1"}
        done = subprocess.run([*INSIDE, *map(str, words)], cwd=self.folder, env=environment, text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, status, done.stdout[-4000:])
        return done.stdout

    def configure(self, bundle, status=0):
        return self.inside(*CONFIGURE, f"-DPARITY_BUNDLE={bundle}", status=status)

    def test_1_the_room_has_no_network_and_no_root(self):
        self.assertEqual(re.findall(r"^\s*(\w+):", self.inside("cat", "/proc/net/dev"), re.M), ["lo"])
        self.assertEqual(self.inside("id", "-u").strip(), str(NOBODY))
        self.inside(sys.executable, "-c", "import socket\ntry: socket.create_connection(('127.0.0.1', 9), 1)\n"
                    "except OSError as error: raise SystemExit(0 if error.errno == 101 else 1)")

    def test_2_a_changed_byte_stops_it_and_names_file_and_hash(self):
        changed = self.folder / "changed"
        shutil.copytree(self.folder / "bundle", changed)
        package = next((changed / "debian").glob("libxxhash-dev*.deb"))
        blob = bytearray(package.read_bytes())
        blob[len(blob) // 2] ^= 1
        package.write_bytes(blob)
        subprocess.run(["chown", "-R", f"{NOBODY}:{NOBODY}", changed], check=True)
        output = " ".join(self.configure(changed, status=1).split())
        self.assertRegex(output, rf"{re.escape(package.name)} of the bundle \S+ was changed \(SHA-256 [0-9a-f]{{64}}, not "
                                 r"[0-9a-f]{64}\)")

    def test_3_the_program_is_built_and_runs(self):
        self.configure(self.folder / "bundle")
        self.inside("cmake", "--build", "source/build/release", "--target", "parity", "--parallel", "2")
        program = self.folder / "source/build/release/bin/parity"
        linked = self.inside("ldd", program)
        self.assertNotIn("not found", linked)
        self.assertRegex(linked, r"libhdf5\S* => /\S*source/build/\S+")  # the bundle's, not this machine's
        (self.folder / "a.csv").write_text("step,loss\n1,3.21\n2,3.18\n")
        (self.folder / "b.csv").write_text("step,loss\n1,3.21\n2,3.19\n")
        self.assertIn("loss at step 2", self.inside(program, "compare", "a.csv", "b.csv", status=1))


if __name__ == "__main__":
    skip_unless_possible()
    unittest.main(verbosity=2)
