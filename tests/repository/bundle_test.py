# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Bundles: a damaged, foreign or slim one is refused by name, and an interrupted unpacking is made again.

Usage: bundle_test.py SOURCE_DIR
"""
import contextlib
import io
import json
import pathlib
import platform
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

SOURCE = pathlib.Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(SOURCE / "harness/cmake"))
import bundle


def archive_of_ar(members):
    """An archive as `ar` writes it: {name: bytes}."""
    blob = b"!<arch>\n"
    for name, content in members.items():
        blob += f"{name:<16}{0:<12}{0:<6}{0:<6}{'100644':<8}{len(content):<10}`\n".encode() + content + b"\n" * (len(content) % 2)
    return blob


def debian_package(files):
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:xz") as archive:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return archive_of_ar({"debian-binary": b"2.0\n", "control.tar.xz": b"odd", "data.tar.xz": data.getvalue()})


class BundleTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.bundle = self.folder / "bundle"
        (self.bundle / "debian").mkdir(parents=True)
        (self.bundle / "wheels").mkdir()
        (self.bundle / "debian/libxxhash-dev_1_amd64.deb").write_bytes(debian_package({"./usr/include/xxhash.h": b"one"}))
        with zipfile.ZipFile(self.bundle / "wheels/plotly-1-py3-none-any.whl", "w") as wheel:
            wheel.writestr("plotly/__init__.py", "")
            wheel.writestr("plotly-1.data/purelib/extra.py", "")
            wheel.writestr("plotly-1.data/scripts/run", "")
        self.about = {"schema": bundle.SCHEMA, "slim": False, "machine": platform.machine()}
        self.about["debian"], self.about["wheels"] = bundle.wanted(["harness"], slim=False)
        self.seal()

    def seal(self):
        (self.bundle / "bundle.json").write_text(json.dumps(self.about))
        (self.bundle / "SHA256SUMS").write_text(
            "".join(f"{bundle.digest(self.bundle / name)}  {name}\n" for name in bundle.files_of(self.bundle)))

    def unpack(self, sections=("harness",)):
        with contextlib.redirect_stdout(io.StringIO()):
            bundle.unpack(self.bundle, self.folder / "prefix", self.folder / "venv", list(sections))

    def refused(self, words, sections=("harness",)):
        with self.assertRaisesRegex(bundle.BundleError, words):
            self.unpack(sections)
        self.assertFalse((self.folder / "prefix/parity-bundle").exists())

    def test_packages_and_wheels_are_unpacked(self):
        self.unpack()
        self.assertEqual((self.folder / "prefix/usr/include/xxhash.h").read_bytes(), b"one")
        site = next((self.folder / "venv/lib").glob("python3.*/site-packages"))
        self.assertTrue((site / "plotly/__init__.py").exists() and (site / "extra.py").exists())
        self.assertFalse(list(site.rglob("run")))

    def test_a_changed_byte_is_named(self):
        package = self.bundle / "debian/libxxhash-dev_1_amd64.deb"
        blob = bytearray(package.read_bytes())
        blob[-20] ^= 1
        package.write_bytes(blob)
        self.refused(r"libxxhash-dev_1_amd64.deb of the bundle .* was changed \(SHA-256 [0-9a-f]{64}, not [0-9a-f]{64}\)")

    def test_a_missing_file_is_named(self):
        (self.bundle / "wheels/plotly-1-py3-none-any.whl").unlink()
        self.refused("lacks wheels/plotly-1-py3-none-any.whl")

    def test_a_file_without_a_hash_is_named(self):
        (self.bundle / "debian/more.deb").write_bytes(b"")
        self.refused("SHA256SUMS does not list: debian/more.deb")

    def test_a_folder_that_is_no_bundle_is_refused(self):
        (self.bundle / "SHA256SUMS").unlink()
        self.refused("is not a bundle")

    def test_a_bundle_of_another_source_or_machine_is_refused(self):
        self.about["wheels"] = ["plotly==0.1"]
        self.seal()
        self.refused(r"written for another source or for less \(it lacks plotly==")
        self.about["machine"] = "riscv64"
        self.seal()
        self.refused("is for riscv64")

    def test_a_section_that_was_left_out_is_named(self):
        self.refused("it lacks .*libgloo-dev", sections=("harness", "trainer"))

    def test_an_interrupted_unpacking_is_made_again_and_a_finished_one_is_not(self):
        self.unpack()
        header = self.folder / "prefix/usr/include/xxhash.h"
        header.write_bytes(b"edited")
        self.unpack()
        self.assertEqual(header.read_bytes(), b"edited")
        (self.folder / "prefix/parity-bundle").unlink()
        self.unpack()
        self.assertEqual(header.read_bytes(), b"one")

    def test_another_bundle_replaces_the_first(self):
        self.unpack()
        (self.bundle / "debian/libxxhash-dev_1_amd64.deb").write_bytes(debian_package({"./usr/include/xxhash.h": b"two"}))
        self.seal()
        self.unpack()
        self.assertEqual((self.folder / "prefix/usr/include/xxhash.h").read_bytes(), b"two")

    def test_configuring_stops_with_the_sentence(self):
        (self.bundle / "wheels/plotly-1-py3-none-any.whl").write_bytes(b"cut off")
        done = subprocess.run(["cmake", "-S", SOURCE, "-B", self.folder / "build", f"-DPARITY_BUNDLE={self.bundle}",
                               f"-DPARITY_VENV={self.folder / 'venv'}", "-DPARITY_REFERENCE=OFF"], capture_output=True, text=True, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("was changed", " ".join(done.stderr.split()))


if __name__ == "__main__":
    unittest.main()
