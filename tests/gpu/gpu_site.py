# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The machine that the stages run on: programs, Python with PyTorch, environment, and how a command is run there."""
from __future__ import annotations

import dataclasses
import json
import os
import pathlib
import subprocess
import time

SOURCE = pathlib.Path(__file__).resolve().parents[2]


class StageError(Exception):
    """A stage that found a defect. Its sentence says what."""


class NoDevice(Exception):
    """A stage that cannot run here, with the reason."""


def torch_of(python: str) -> dict:
    """Folder, version, prefix and GPUs of an interpreter's PyTorch. Empty if it has none."""
    words = ("import json, pathlib, sys, torch; print(json.dumps({'folder': str(pathlib.Path(torch.__file__).parent), "
             "'version': torch.__version__, 'prefix': sys.prefix, 'gpus': torch.cuda.device_count()}))")
    done = subprocess.run([python, "-c", words], capture_output=True, text=True, check=False)
    return json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 else {}


@dataclasses.dataclass
class Site:
    """Programs in `build`, an interpreter with PyTorch, and a folder for results."""

    build: pathlib.Path
    python: str
    out: pathlib.Path
    torch: dict
    end: float = float("inf")  # no command runs after this time of time.monotonic()
    source: pathlib.Path = SOURCE

    def __post_init__(self):
        folders = [self.build / "lib"]
        if self.torch:
            wheel = pathlib.Path(self.torch["folder"])
            folders += [wheel / "lib", *sorted((wheel.parent / "nvidia").glob("*/lib"))]
        known = os.environ.get("LD_LIBRARY_PATH")
        self.environment = {**os.environ, "PARITY_TEST_SOURCE": str(self.source), "PARITY_TEST_BUILD": str(self.build),
                            "PARITY_PROGRAM": str(self.build / "bin/parity"), "PARITY_TRAINER": str(self.build / "bin/parity-train"),
                            "PARITY_RECORDER": str(self.build / "lib/libparity-recorder.so"),
                            "PYTHONPATH": str(self.source / "harness/python/src"), "PYTHONUNBUFFERED": "1",
                            "LD_LIBRARY_PATH": ":".join([*map(str, folders), *([known] if known else [])])}

    def parity(self, *arguments):
        return [str(self.build / "bin/parity"), *map(str, arguments)]

    def run(self, argv, log, seconds=300, **more):
        """Runs a command. Returns its status and all of its output, which also goes to OUT/logs. -1: it took too long."""
        file = self.out / "logs" / f"{log}.log"
        file.parent.mkdir(parents=True, exist_ok=True)
        begin = time.monotonic()
        seconds = max(1.0, min(seconds, self.end - begin))
        with open(file, "w", encoding="utf-8") as stream:
            child = subprocess.Popen([str(word) for word in argv], env={**self.environment, **more}, cwd=self.out,
                                     stdout=stream, stderr=subprocess.STDOUT, start_new_session=True)
            try:
                status = child.wait(timeout=seconds)
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, 9)
                child.wait()
                status = -1
        output = file.read_text(encoding="utf-8", errors="replace")
        with open(file, "a", encoding="utf-8") as stream:
            stream.write(f"\n[{' '.join(map(str, argv))}: status {status} after {time.monotonic() - begin:.1f} s]\n")
        return status, output
