# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Runs PyTorch programs for tests; imports PyTorch once, since that takes longer than most programs.

Reads a request a line from stdin and answers each with a line on stdout:
  {"programs": [{"argv": [SCRIPT, ...], "environment": {...}}, ...], "output": FILE, "seconds": LIMIT}
  {"status": 0}

The programs of a request run concurrently, each in a process forked off this one, and write to FILE. The status is
0 if all ended with 0, 124 if one took longer than LIMIT, else that of the first one that failed; then the others are
killed. Ends with its input.
"""
import atexit
import json
import os
import pathlib
import runpy
import signal
import sys
import time
import traceback

import h5py  # noqa: F401
import numpy  # noqa: F401
import torch  # noqa: F401
import torch._dynamo  # noqa: F401 (an optimizer imports it)
import torch.distributed.fsdp  # noqa: F401
import torch.distributed.pipelining  # noqa: F401
import torch.distributed.tensor.parallel  # noqa: F401
import torch.nn.functional  # noqa: F401


def become(program, output):
    """This process runs the program and ends."""
    code = 1
    try:
        os.environ.update(program["environment"])
        sink = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(sink, 1)
        os.dup2(sink, 2)
        sys.argv = program["argv"]
        sys.path[0] = str(pathlib.Path(sys.argv[0]).parent)
        runpy.run_path(sys.argv[0], run_name="__main__")
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # noqa: BLE001
        traceback.print_exc()
    finally:
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def run(request):
    """The status of a request."""
    children = []
    for program in request["programs"]:
        child = os.fork()
        if child == 0:
            become(program, request["output"])
        children.append(child)
    deadline, status = time.monotonic() + request["seconds"], 0
    while children and status == 0:
        ended, how = os.waitpid(-1, os.WNOHANG)
        if ended:
            children.remove(ended)
            status = os.waitstatus_to_exitcode(how)
        elif time.monotonic() > deadline:
            status = 124
        else:
            time.sleep(0.002)
    for child in children:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    return status


def main():
    answers = os.fdopen(os.dup(1), "w")
    for line in sys.stdin:
        print(json.dumps({"status": run(json.loads(line))}), file=answers, flush=True)


if __name__ == "__main__":
    main()
