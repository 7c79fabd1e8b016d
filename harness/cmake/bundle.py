# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Writes and unpacks a bundle: every package that a build of this source needs, for machines without a network.

Usage: bundle.py write OUT [--slim] [--section NAME]...     on a Debian machine with a network
       bundle.py unpack BUNDLE --prefix DIR --venv DIR --section NAME...     where the build is; no root needed

A bundle is a folder: `debian/*.deb`, `wheels/*.whl`, `bundle.json`, and `SHA256SUMS` of all of them. The Debian packages
include the libraries that they depend on, but for the C and the C++ library. `--slim` leaves LibTorch out, for
machines that have a PyTorch of their own (-DTorch_DIR).

Exit status: 0 done, 1 a package cannot be had, 2 bad usage or a bundle that is damaged or of another source.
"""
from __future__ import annotations

import argparse
import hashlib
import io
import json
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tarfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
SCHEMA = "parity.bundle/1"
# What the machine that builds has: a compiler and Python. Libraries of another distribution must not mix with its own C library.
ASSUMED = {"libc6", "libc6-dev", "libc-dev-bin", "libgcc-s1", "libstdc++6", "libcrypt1", "libcrypt-dev", "linux-libc-dev", "libnsl-dev",
           "libtirpc-dev"}
LEFT_OUT = {"build-essential", "python3-venv", "ccache"}


class BundleError(Exception):
    """A bundle that cannot be written or used, with the reason and what to do."""


def section_of(file, section):
    """The lines of one section of a list of packages."""
    lines, inside = [], False
    for line in (HERE / file).read_text().splitlines():
        if line.startswith("<"):
            inside = line == f"<{section}>"
        elif inside and line[:1].islower():
            lines.append(line.strip())
    return lines


def wanted(sections, slim):
    """Debian packages, and wheels as NAME==VERSION."""
    debian = [name for section in sections for name in section_of("debian-packages.txt", section) if name not in LEFT_OUT]
    wheels = [line for section in sections for line in section_of("requirements.txt", section)
              if not (slim and line.startswith(("torch", "nvidia")))]
    return debian, wheels


def closure(packages):
    """Names of Debian packages with all that they depend on, as for an empty machine."""
    done = subprocess.run(["apt-get", "-o", "Dir::State::status=/dev/null", "--no-install-recommends", "--simulate", "install",
                           *packages], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise BundleError(f"apt-get cannot find the packages ({done.stderr.strip().splitlines()[-1]}); run apt-get update")
    return {line.split()[1] for line in done.stdout.splitlines() if line.startswith("Inst ")}


def digest(path):
    state = hashlib.sha256()
    with open(path, "rb") as file:
        while piece := file.read(1 << 22):
            state.update(piece)
    return state.hexdigest()


def files_of(bundle):
    """Names of the files of a bundle that SHA256SUMS lists, relative to it."""
    return sorted(str(file.relative_to(bundle)) for file in bundle.rglob("*") if file.is_file() and file.name != "SHA256SUMS")


def fetch(command, folder, what):
    folder.mkdir(parents=True)
    print(f"bundle: {what}", flush=True)
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        raise BundleError(f"cannot fetch {what} ({done.stdout.strip().splitlines()[-1]}); look whether this machine has a network")


def write(out, sections, slim):
    debian, wheels = wanted(sections, slim)
    packages = sorted(name for name in closure(debian) - ASSUMED if name.startswith(("lib", "zlib", "pkgconf")) or name in debian)
    partial = out.with_name(out.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    fetch(["apt-get", "-qq", "download", *packages], partial / "debian", f"{len(packages)} Debian packages")
    fetch([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "--no-cache-dir",
           "--disable-pip-version-check", *wheels], partial / "wheels", f"{len(wheels)} PyPI packages")
    about = {"schema": SCHEMA, "sections": sections, "slim": slim, "debian": debian, "wheels": wheels,
             "machine": platform.machine(), "python": platform.python_version(), "system": system_name()}
    (partial / "bundle.json").write_text(json.dumps(about, indent=2) + "\n")
    sums = "".join(f"{digest(partial / name)}  {name}\n" for name in files_of(partial))
    (partial / "SHA256SUMS").write_text(sums)
    shutil.rmtree(out, ignore_errors=True)
    partial.rename(out)
    size = sum((out / name).stat().st_size for name in files_of(out)) / 2**20
    print(f"bundle: {out}, {size:.1f} MiB, {len(packages)} Debian and {len(wheels)} PyPI packages")


def system_name():
    found = pathlib.Path("/etc/os-release")
    lines = dict(line.split("=", 1) for line in found.read_text().splitlines() if "=" in line) if found.exists() else {}
    return lines.get("PRETTY_NAME", platform.platform()).strip('"')


def verify(bundle, sections):
    """Returns what bundle.json says, after every file has its hash and every wanted package is there."""
    if not (bundle / "SHA256SUMS").is_file():
        raise BundleError(f"{bundle} is not a bundle (it has no SHA256SUMS); write one with: cmake --workflow --preset bundle")
    sums = dict(reversed(line.split("  ", 1)) for line in (bundle / "SHA256SUMS").read_text().splitlines())
    if absent := sorted(set(sums) - set(files_of(bundle))):
        raise BundleError(f"the bundle {bundle} lacks {absent[0]}; copy it again")
    if unknown := sorted(set(files_of(bundle)) - set(sums)):
        raise BundleError(f"the bundle {bundle} has a file that SHA256SUMS does not list: {unknown[0]}; remove it")
    for name, expected in sums.items():
        if (found := digest(bundle / name)) != expected:
            raise BundleError(f"{name} of the bundle {bundle} was changed (SHA-256 {found}, not {expected}); copy it again")
    about = json.loads((bundle / "bundle.json").read_text())
    if about.get("schema") != SCHEMA:
        raise BundleError(f"the bundle {bundle} has schema {about.get('schema')}, not {SCHEMA}; write it again")
    if about["machine"] != platform.machine():
        raise BundleError(f"the bundle {bundle} is for {about['machine']}, and this machine is {platform.machine()}")
    debian, wheels = wanted(sections, about["slim"])
    if lacking := sorted({*debian, *wheels} - {*about["debian"], *about["wheels"]}):
        raise BundleError(f"the bundle {bundle} was written for another source or for less (it lacks {', '.join(lacking)}); "
                          "write it again from this source")
    return about


def unpack_debian(package, prefix):
    """Unpacks the files of a .deb, an archive of ar with a data.tar inside."""
    blob = package.read_bytes()
    if blob[:8] != b"!<arch>\n":
        raise BundleError(f"{package} is no Debian package; copy the bundle again")
    place = 8
    while place < len(blob):
        name, size = blob[place:place + 16].decode().strip().rstrip("/"), int(blob[place + 48:place + 58])
        place += 60
        if name.startswith("data.tar"):
            with tarfile.open(fileobj=io.BytesIO(blob[place:place + size])) as archive:
                # Early releases of Python 3.10 and 3.11 have no filters.
                archive.extractall(prefix, **({"filter": "tar"} if hasattr(tarfile, "tar_filter") else {}))
            return
        place += size + size % 2
    raise BundleError(f"{package} has no data.tar; copy the bundle again")


def unpack_wheel(wheel, site):
    """Unpacks a wheel's modules and libraries; its scripts and headers are left out."""
    with zipfile.ZipFile(wheel) as archive:
        for entry in archive.infolist():
            parts = pathlib.PurePosixPath(entry.filename).parts
            if parts[0].endswith(".data"):
                if len(parts) < 3 or parts[1] not in ("purelib", "platlib"):
                    continue
                entry.filename = "/".join(parts[2:]) + ("/" if entry.is_dir() else "")
            archive.extract(entry, site)


def make_venv(bundle, venv):
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    site = next((venv / "lib").glob("python3.*/site-packages"))
    for wheel in sorted((bundle / "wheels").glob("*.whl")):
        unpack_wheel(wheel, site)


def unpack(bundle, prefix, venv, sections):
    """Unpacks once: a stamp holds the hash of SHA256SUMS. A folder without its stamp was cut off, and is made again."""
    stamp = digest(bundle / "SHA256SUMS") if (bundle / "SHA256SUMS").is_file() else ""
    if stamp and all((place / "parity-bundle").is_file() and (place / "parity-bundle").read_text() == stamp
                     for place in (prefix, venv)):
        return
    verify(bundle, sections)
    for place in (prefix, venv):
        shutil.rmtree(place, ignore_errors=True)
    prefix.mkdir(parents=True)
    print(f"bundle: unpacking into {prefix} and {venv}", flush=True)
    for package in sorted((bundle / "debian").glob("*.deb")):
        unpack_debian(package, prefix)
    make_venv(bundle, venv)
    for place in (prefix, venv):
        (place / "parity-bundle").write_text(stamp)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    writing = verbs.add_parser("write")
    writing.add_argument("out", type=pathlib.Path)
    writing.add_argument("--slim", action="store_true")
    writing.add_argument("--section", action="append")
    unpacking = verbs.add_parser("unpack")
    unpacking.add_argument("bundle", type=pathlib.Path)
    unpacking.add_argument("--prefix", type=pathlib.Path, required=True)
    unpacking.add_argument("--venv", type=pathlib.Path, required=True)
    unpacking.add_argument("--section", action="append", required=True)
    arguments = parser.parse_args()
    try:
        if arguments.verb == "write":
            write(arguments.out.resolve(), arguments.section or ["harness", "trainer"], arguments.slim)
        else:
            unpack(arguments.bundle.resolve(), arguments.prefix.resolve(), arguments.venv.resolve(), arguments.section)
    except BundleError as error:
        print(f"bundle: {error}", file=sys.stderr)
        return 1 if arguments.verb == "write" else 2
    return 0


if __name__ == "__main__":
    os.umask(0o022)
    sys.exit(main())
