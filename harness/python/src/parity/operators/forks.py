# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""A process that has PyTorch loaded, and forks itself for each arm, as harness/base/processes/fork_server.hpp asks."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import socket
import struct
import sys
import time
from typing import Any

OPTION = "--fork-server="
_LARGEST_REQUEST = 128 << 10
_DIES_WITH_PARENT = 1  # PR_SET_PDEATHSIG


def become_asked_process() -> None:
    """Serves forks if the program was started for that. Returns in each forked process, with its own sys.argv."""
    if len(sys.argv) != 2 or not sys.argv[1].startswith(OPTION):
        return
    requests = socket.socket(fileno=int(sys.argv[1].removeprefix(OPTION)))
    requests.set_inheritable(False)
    while text := requests.recv(_LARGEST_REQUEST):
        if _fork_orphan():
            words: list[str] = _become(json.loads(text), requests)["argv"]
            sys.argv[1:] = words[words.index("-m") + 2 :]
            return
    os._exit(0)


def _fork_orphan() -> bool:
    """Forks twice, so that the harness adopts the new process. Returns whether this is the new process."""
    middle = os.fork()
    if middle == 0:
        if os.fork() != 0:
            os._exit(0)
        return True
    os.waitpid(middle, 0)
    return False


def _become(request: dict[str, Any], requests: socket.socket) -> dict[str, Any]:
    """Makes this process what the request asks for, and answers."""
    if not _is_adopted(request["parent"]):
        os._exit(127)
    try:
        os.setpgid(0, request["group"])
    except OSError:
        pass  # its leader has ended
    os.environ.update(request["environment"])
    error = _set_up(request)
    if drawn := sys.modules.get("numpy.random"):  # Python's own random seeds itself after a fork
        drawn.seed()
    try:
        requests.send(struct.pack("ii", os.getpid(), error))
    except OSError:
        os._exit(127)  # nobody waits for this process
    requests.close()
    if error:
        os._exit(127)
    return request


def _is_adopted(parent: int) -> bool:
    for _ in range(10_000):
        if os.getppid() == parent:
            break
        time.sleep(0.001)
    ctypes.CDLL(None).prctl(_DIES_WITH_PARENT, signal.SIGKILL)
    return os.getppid() == parent


def _set_up(request: dict[str, Any]) -> int:
    """Places this process on its cores and opens its streams. Returns errno, 0 for success."""
    append = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    try:
        if request["cores"]:
            os.sched_setaffinity(0, request["cores"])
        for target, (path, flags) in enumerate(
            (("/dev/null", os.O_RDONLY), (request["out"], append), (request["err"], append))
        ):
            opened = os.open(path, flags, 0o644)
            os.dup2(opened, target)
            os.close(opened)
    except OSError as problem:
        return problem.errno or 1
    return 0
