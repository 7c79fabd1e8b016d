# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The fork server of Python arms: what a forked process has, and when it ends.

Usage: forks_test.py SOURCE_DIR
"""
import ctypes
import json
import os
import pathlib
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import unittest

PACKAGE = pathlib.Path(sys.argv[1]) / "harness/python/src"
BECOMES_PARENT_OF_ORPHANS = 36  # PR_SET_CHILD_SUBREAPER
PROGRAM = '''
import os, random, sys
import numpy.random
from parity.operators import forks
forks.become_asked_process()
print(sys.argv[1:], os.environ.get("PARITY_X"), os.getpgid(0) == os.getpid(), random.random(), numpy.random.rand())
'''


class ForksTest(unittest.TestCase):
    def setUp(self):
        ctypes.CDLL(None).prctl(BECOMES_PARENT_OF_ORPHANS, 1)
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.enterContext(self.ours)
        self.server = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, f"--fork-server={theirs.fileno()}"], pass_fds=[theirs.fileno()],
            env=dict(os.environ, PYTHONPATH=str(PACKAGE)))
        self.addCleanup(self.server.wait)
        self.addCleanup(self.server.kill)
        theirs.close()

    def ask(self, out="out", parent=None, **environment):
        self.ours.send(json.dumps({
            "argv": ["python", "-m", "parity.operators", "a b"], "environment": environment, "group": 0, "cores": [0],
            "out": str(self.folder / out), "err": str(self.folder / "err"), "parent": parent or os.getpid(),
        }).encode())
        return struct.unpack("ii", self.ours.recv(8))

    def test_processes_have_their_own_words_group_and_random_numbers(self):
        for number in range(2):
            pid, error = self.ask(PARITY_X=str(number))
            self.assertEqual(error, 0)
            self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 0)
        first, second = (line.rsplit(" ", 2) for line in (self.folder / "out").read_text().splitlines())
        self.assertEqual([first[0], second[0]], ["['a b'] 0 True", "['a b'] 1 True"])
        self.assertNotEqual(first[1], second[1])
        self.assertNotEqual(first[2], second[2])

    def test_output_that_cannot_be_opened_is_an_error(self):
        pid, error = self.ask(out="no/such/folder")
        self.assertEqual(os.strerror(error), "No such file or directory")
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 127)

    def test_server_ends_with_its_socket(self):
        self.ours.close()
        self.assertEqual(self.server.wait(20), 0)

    def test_process_that_nobody_waits_for_ends(self):
        """It must not run an arm a second time."""
        os.kill(self.server.pid, signal.SIGSTOP)
        self.ours.send(json.dumps({
            "argv": ["python", "-m", "parity.operators"], "environment": {}, "group": 0, "cores": [],
            "out": str(self.folder / "late"), "err": str(self.folder / "err"), "parent": os.getpid()}).encode())
        self.ours.close()
        os.kill(self.server.pid, signal.SIGCONT)
        self.assertEqual(self.server.wait(20), 0)
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            try:
                if os.waitpid(-1, os.WNOHANG)[0] != 0:
                    break
            except ChildProcessError:
                break
            time.sleep(0.01)
        late = self.folder / "late"
        self.assertEqual(late.read_text() if late.exists() else "", "")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
