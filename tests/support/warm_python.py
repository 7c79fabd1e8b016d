# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Python that has PyTorch loaded: importing it costs 2 s a process, and these tests start hundreds of them.

`Warm().python` is a program to use in place of `sys.executable`. A server imports PyTorch once, and forks a process for each
call. What the forked process does is real: its own arguments, environment, folder, streams and exit status. What is not:
PyTorch is there before the script's first line, all processes have one hash seed, and no signal but the death of the
caller reaches it. Tests of those need `sys.executable`.

    test ── manager ── a server for each environment that the loader or a library reads at its start
                           └─ supervisor for each call ── the process
"""
import array
import atexit
import ctypes
import gc
import json
import os
import pathlib
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import types

_READ_AT_START = ("PYTHON", "LD_", "OMP_", "MKL_", "OPENBLAS_", "TORCH")
_LIMIT = 128 << 10  # bytes of a request
_DIES_WITH_PARENT = 1  # PR_SET_PDEATHSIG
_CLIENT = """#!{python} -ISE
import array, json, os, socket, sys
words = sys.argv[1:]
if not words or words[0].startswith("-") and words[0] not in ("-m", "-c"):
    os.execv({python!r}, [{python!r}, *words])
manager = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
manager.connect({address!r})
request = json.dumps(dict(argv=words, environment=dict(os.environ), cwd=os.getcwd())).encode()
manager.sendmsg([request], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", (0, 1, 2)))])
answer = manager.recv(64)
if not answer:
    sys.exit("the server of warm_python.py has ended")
status = int(answer)
if status < 0:
    os.kill(os.getpid(), -status)
sys.exit(status)
"""


class Warm:
    """Serves until the process that made it ends."""

    def __init__(self):
        self._folder = tempfile.TemporaryDirectory(prefix="warm-python-")
        self.python = pathlib.Path(self._folder.name, "python")  # for PATH, too: no other program is beside it
        address = f"{self._folder.name}/manager"
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
            listener.bind(address)
            listener.listen(64)
            self._manager = subprocess.Popen([sys.executable, __file__, "manage", str(listener.fileno()), str(os.getpid())],
                                             pass_fds=[listener.fileno()])
        self.python.write_text(_CLIENT.format(python=sys.executable, address=address))
        self.python.chmod(0o755)
        self.python.with_name("python3").symlink_to("python")


def _die_with(parent):
    ctypes.CDLL(None).prctl(_DIES_WITH_PARENT, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(0)


def _manage(listener):
    """Hands each request, with the caller's connection and streams, to the server of its environment."""
    servers = {}
    while True:
        caller, _ = listener.accept()
        with caller:
            request, streams, _, _ = socket.recv_fds(caller, _LIMIT, 3)
            if not request:
                continue
            wanted = {name: value for name, value in json.loads(request)["environment"].items()
                      if name.startswith(_READ_AT_START) and name != "PYTHONPATH"}
            key = json.dumps(wanted, sort_keys=True)
            if key not in servers:
                servers[key] = _start_server(wanted)
            socket.send_fds(servers[key], [request], [caller.fileno(), *streams])
            for stream in streams:
                os.close(stream)


def _start_server(wanted):
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    common = {name: value for name, value in os.environ.items() if not name.startswith((*_READ_AT_START, "PARITY_"))}
    with theirs:
        subprocess.Popen([sys.executable, __file__, "serve", str(theirs.fileno()), str(os.getpid())],
                         pass_fds=[theirs.fileno()], env=common | wanted)
    return ours


def _serve(requests):
    """Forks a process for each request. Returns in each of them, with what it was asked for."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the supervisors
    while True:
        request, descriptors, _, _ = socket.recv_fds(requests, _LIMIT, 4)
        if not request:
            os._exit(0)
        if os.fork() == 0:
            requests.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            return _supervise(socket.socket(fileno=descriptors[0]), descriptors[1:], json.loads(request))
        for descriptor in descriptors:
            os.close(descriptor)


def _supervise(caller, streams, request):
    """Forks the process itself, reports its end to the caller, and kills it if the caller ends first."""
    supervisor = os.getpid()
    process = os.fork()
    if process == 0:
        _die_with(supervisor)
        caller.close()
        for target, stream in enumerate(streams):
            os.dup2(stream, target)
            os.close(stream)
        return request
    for stream in (*streams, 0, 1, 2):
        os.close(stream)
    end = os.pidfd_open(process)
    waiting = select.poll()
    waiting.register(end, select.POLLIN)
    waiting.register(caller, select.POLLRDHUP)
    if all(place != end for place, _ in waiting.poll()):
        os.kill(process, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    try:
        caller.send(str(status).encode())
    finally:
        os._exit(0)


def _become(request):
    """Gives this process the folder, environment and path of a request. Returns its command."""
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["environment"])
    sys.modules["numpy"].random.seed()  # Python's own random seeds itself after a fork
    command = request["argv"]
    named = [name for name in os.environ.get("PYTHONPATH", "").split(os.pathsep) if name]
    first = {"-m": os.getcwd(), "-c": ""}.get(command[0], os.path.dirname(os.path.realpath(command[0])))
    sys.path[:] = [first, *named, *sys.path[1:]]
    return command


def _run(command):
    """Runs a command as the interpreter runs its main program."""
    main = types.ModuleType("__main__")
    main.__dict__["__builtins__"] = __builtins__
    sys.modules["__main__"] = main
    if command[0] == "-m":
        sys.argv = ["-m", *command[2:]]
        runpy._run_module_as_main(command[1])
    elif command[0] == "-c":
        sys.argv = ["-c", *command[2:]]
        exec(compile(command[1], "<string>", "exec"), main.__dict__)
    else:
        sys.argv = command
        main.__file__ = command[0]
        with open(command[0], "rb") as file:
            text = file.read()
        exec(compile(text, command[0], "exec"), main.__dict__)


def _status_of(command):
    """Runs a command, and returns the status that the interpreter would exit with."""
    try:
        _run(command)
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return end.code or 0
        print(end.code, file=sys.stderr)
        return 1
    except BaseException as problem:
        while problem.__traceback__ and problem.__traceback__.tb_frame.f_code.co_filename == __file__:
            problem.__traceback__ = problem.__traceback__.tb_next
        sys.last_type, sys.last_value, sys.last_traceback = type(problem), problem, problem.__traceback__
        sys.excepthook(sys.last_type, problem, sys.last_traceback)
        return 1
    return 0


def _end(status):
    """Ends as the interpreter does, but for its last step: taking PyTorch's modules apart costs 0.3 s."""
    threading._shutdown()
    atexit._run_exitfuncs()
    sys.modules["__main__"].__dict__.clear()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            status = status or 120
    os._exit(status & 0xFF)


if __name__ == "__main__":
    _die_with(int(sys.argv[3]))
    if sys.argv[1] == "manage":
        _manage(socket.socket(fileno=int(sys.argv[2])))
    import torch._dynamo  # noqa: F401 (optimizers import it)

    gc.freeze()
    _end(_status_of(_become(_serve(socket.socket(fileno=int(sys.argv[2]))))))
