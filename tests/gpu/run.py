# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Runs everything that needs a GPU, and leaves one archive of results.

Usage: run.py BUILD_DIR [--torch PYTHON] [--out DIR] [--stage NAME]... [--seconds N]

`cmake --workflow --preset gpu` calls it after a build. Each stage has a time limit and keeps its result if a later one
fails. Results are in OUT/results.json, the output of every command in OUT/logs, and both, with the suite's report and
its traces, in OUT.tar.xz (at most 16 MiB).

Exit status: 0 every stage passed, 1 one failed, 2 bad usage, 3 there is no GPU here.
"""
import argparse
import json
import pathlib
import platform
import shutil
import sys
import tarfile
import time

from gpu_site import NoDevice, Site, StageError, torch_of
from stages import STAGES

ARCHIVE_BYTES = 16 << 20


def run_stage(stage, site):
    begin = time.monotonic()
    try:
        result = {"status": "passed", "figures": stage(site)}
    except NoDevice as reason:
        result = {"status": "no device", "why": str(reason)}
    except StageError as error:
        result = {"status": "failed", "why": str(error)}
    except Exception as error:  # noqa: BLE001 - a stage that breaks must not take the results of others with it
        result = {"status": "failed", "why": f"{type(error).__name__}: {error}"}
    return {**result, "seconds": round(time.monotonic() - begin, 1)}


def run_stages(site, wanted):
    """{stage: its result}; stages that no time is left for say so."""
    results = {}
    for stage in STAGES:
        name = stage.__name__
        if wanted and name not in wanted and name != "device":
            continue
        if results.get("device", {}).get("status") == "no device":
            result = {"status": "no device", "why": results["device"]["why"], "seconds": 0}
        elif time.monotonic() > site.end:
            result = {"status": "left out", "why": "the time was over; give more with --seconds", "seconds": 0}
        else:
            result = run_stage(stage, site)
        results[name] = result
        print(f"{name:10} {result['status']:9} {result['seconds']:6.1f} s  "
              f"{result.get('why') or json.dumps(result.get('figures'))}", flush=True)
        write_results(site, results)
    return results


def write_results(site, results):
    partial = site.out / "results.json.partial"
    partial.write_text(json.dumps({"schema": "parity.gpu/1", "machine": platform.platform(), "torch": site.torch,
                                   "stages": results}, indent=2) + "\n")
    partial.replace(site.out / "results.json")


def write_archive(site):
    """Logs and results first; then reports and traces, as far as they fit."""
    out = site.out
    names = ["results.json", "logs", "suite/index.html", "suite/results.json", "operators/index.html", "operators/results.json"]
    traces = sorted((out / "suite/runs").glob("*/trace.h5"), key=lambda file: file.stat().st_size)
    archive = out.with_name(out.name + ".tar.xz")
    size, kept = 0, []
    for path in [out / name for name in names if (out / name).exists()] + traces:
        size += sum(file.stat().st_size for file in ([path] if path.is_file() else path.rglob("*")) if file.is_file())
        if size > 4 * ARCHIVE_BYTES:  # text packs better than four to one; the result is measured below
            break
        kept.append(path)
    while True:
        with tarfile.open(archive, "w:xz") as file:
            for path in kept:
                file.add(path, str(path.relative_to(out.parent)))
        if archive.stat().st_size <= ARCHIVE_BYTES or len(kept) < 3:
            return archive
        kept.pop()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--torch", default=sys.executable, metavar="PYTHON", help="interpreter with PyTorch for CUDA")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("out/gpu"))
    parser.add_argument("--stage", action="append", choices=[stage.__name__ for stage in STAGES])
    parser.add_argument("--seconds", type=float, default=540, help="end every stage after so long")
    arguments = parser.parse_args()
    out = arguments.out.resolve()
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    site = Site(arguments.build.resolve(), arguments.torch, out, torch_of(arguments.torch), time.monotonic() + arguments.seconds)
    results = run_stages(site, arguments.stage)
    archive = write_archive(site)
    print(f"archive: {archive} ({archive.stat().st_size / 2**20:.1f} MiB)")
    statuses = {result["status"] for result in results.values()}
    return 3 if statuses == {"no device"} else 0 if statuses == {"passed"} else 1


if __name__ == "__main__":
    sys.exit(main())
