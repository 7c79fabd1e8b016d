# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""`python -m parity record -- train.py ARGS` records a script. `python -m parity checkpoint PATH -o FILE` converts a
checkpoint, `distribute` writes one, `logs` converts a log, and `tokens` texts. Every other command goes to the
program parity."""

from __future__ import annotations

import argparse
import os
import runpy
import sys
import tempfile
from typing import Any

from . import record
from .native.library import Error
from .native.program import program
from .native.trace_file import TraceFile
from .recording.capture import Capture
from .recording.extras import NAMES as EXTRAS
from .recording.output import Output
from .recording.script import ScriptRecorder
from .recording.warn import warn


def main(arguments: list[str] | None = None) -> int:
    words = sys.argv[1:] if arguments is None else arguments
    if words[:1] == ["record"]:
        return _record(words[1:])
    if words[:1] == ["checkpoint"]:
        from .checkpoints.command import COMMAND as checkpoint

        return checkpoint.run(words[1:])
    if words[:1] == ["distribute"]:
        from .checkpoints.distribute import run as distribute

        return distribute(words[1:])
    if words[:1] == ["logs"]:
        from .logs.command import COMMAND as logs

        return logs.run(words[1:])
    if words[:1] == ["tokens"]:
        from .tokens.command import run as tokens

        return tokens(words[1:])
    place = program()
    if place is None:
        print("parity: the program is not here; build it, or set PARITY_PROGRAM to its path", file=sys.stderr)
        return 127
    os.environ.setdefault("PARITY_PYTHON", sys.executable)  # which has the packages of the caller
    os.execv(place, [place, *words])


def _record(words: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m parity record",
        description="Runs a training script of PyTorch and records it. The script needs no change.",
        epilog="example: python -m parity record -o run.h5 -- train.py --steps 10",
    )
    parser.add_argument("-o", "--output", metavar="PATH", help="trace to write (default: PARITY_TRACE, or trace.h5)")
    parser.add_argument("--capture", metavar="FILE", help="what to record beyond channels (default: PARITY_CAPTURE)")
    parser.add_argument("--extra", action="append", choices=EXTRAS, help="record this channel, which costs something")
    parser.add_argument("-m", "--module", action="store_true", help="SCRIPT is the name of a module, as in python -m")
    parser.add_argument("script", metavar="SCRIPT", help="the training script, after --")
    parser.add_argument("arguments", metavar="ARGS", nargs=argparse.REMAINDER, help="arguments of the script")
    options = parser.parse_args(words)
    if not options.module and not os.path.exists(options.script):
        parser.error(f"cannot find the script {options.script}")
    try:
        _check_capture(options.capture)
    except (OSError, ValueError, Error) as problem:
        capture = options.capture or os.environ.get("PARITY_CAPTURE")
        parser.error(f"cannot record with the capture {capture} ({problem})")
    path = options.output or os.environ.get("PARITY_TRACE") or "trace.h5"
    output = Output(path)
    recorder = _watch(path, options.capture, options.extra or [])
    try:
        _run_script(options)
    except SystemExit as end:
        if end.code not in (None, 0):
            raise
    if recorder.began or output.exists():
        return 0
    warn(f"no trace was written: {recorder.why_nothing()}")
    return 3


def _run_script(options: argparse.Namespace) -> None:
    sys.argv = [options.script, *options.arguments]
    if options.module:
        sys.path[0] = os.getcwd()
        runpy.run_module(options.script, run_name="__main__", alter_sys=True)
    else:
        sys.path[0] = os.path.dirname(os.path.abspath(options.script))
        runpy.run_path(options.script, run_name="__main__")


def _check_capture(place: str | None) -> None:
    """Raises what is wrong with a capture, before the training begins and not at its first update."""
    text = Capture(place).text
    if text is not None:
        with tempfile.TemporaryDirectory() as folder:
            TraceFile(os.path.join(folder, "trace.h5"), capture=text).close()


def _watch(path: str, capture: str | None, extras: list[str]) -> ScriptRecorder:
    """Watches PyTorch once the script has imported it, so that what the script sets before has its effect."""
    from .native.imports import after_import

    def start(model: Any, optimizers: list[Any], own: list[str]) -> Any:
        return record(model, optimizers, path=path, capture=capture, extras=[*extras, *own])

    def watch() -> None:
        if os.environ.get("PARITY_DTYPE") == "float64":  # also what the script makes before its first update
            from .recording import twin

            twin.begin()
        recorder.watch()

    recorder = ScriptRecorder(start)
    after_import("torch", watch)
    return recorder


if __name__ == "__main__":
    sys.exit(main())
