# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Two hosts for tests: network namespaces with addresses, names and, where asked, disks of their own.

A program that imports it has the arguments BUILD_DIR PYTHON, and ends with status 77 (skipped) unless it runs as root where
namespaces are to be had.
"""
import json
import os
import pathlib
import shlex
import signal
import subprocess
import sys
import tempfile
import time
import unittest

BUILD, PYTHON = pathlib.Path(sys.argv.pop(1)).resolve(), sys.argv.pop(1)
SMALL = {"parallel.dp_shard": 4, "architecture.dim": 32, "architecture.n_layers": 2, "architecture.n_heads": 4,
         "architecture.n_kv_heads": 2, "architecture.vocab_size": 300, "architecture.ffn_hidden": 48, "data.seq_len": 24,
         "data.global_batch": 4}
PORTABLE = {"ATEN_CPU_CAPABILITY": "avx2", "MKL_CBWR": "AVX2,STRICT", "ONEDNN_MAX_CPU_ISA": "AVX2", "OMP_NUM_THREADS": "1",
            "MKL_NUM_THREADS": "1"}
MARK = f"par{os.getpid() % 100000}"
LINKS = (f"{MARK}a", f"{MARK}b")


def ip(*words):
    return subprocess.run(["ip", *words], capture_output=True, text=True, check=False)


def connect():
    """Lays a link between the two namespaces, with an end in each that has its name."""
    a, b = LINKS
    return ip("link", "add", a, "netns", a, "type", "veth", "peer", "name", b, "netns", b).returncode == 0


def make_hosts(lay_link=connect):
    """Two namespaces with one link between them. False: this machine or user cannot have them."""
    a, b = LINKS
    if os.geteuid() != 0 or ip("netns", "add", a).returncode != 0:
        return False
    if ip("netns", "add", b).returncode != 0 or not lay_link():
        return False
    commands = []
    for name, address in ((a, "10.77.0.1/24"), (b, "10.77.0.2/24")):
        commands += [("-n", name, "addr", "add", address, "dev", name), ("-n", name, "link", "set", name, "up"),
                     ("-n", name, "link", "set", "lo", "up")]
    return all(ip(*command).returncode == 0 for command in commands)


def remove_hosts():
    for name in LINKS:
        ip("netns", "del", name)


def words_on_host(host, argv, *disks):
    """A command on host 0 or 1, called node-a or node-b. Each of the \a disks is a folder that is then empty and the command's
    own; what the command leaves in it is printed."""
    script = 'hostname "$0" && exec "$@"'
    if disks:
        folders = " ".join(shlex.quote(str(disk)) for disk in disks)
        script = (f'hostname "$0" && for d in {folders}; do mount -t tmpfs none "$d" || exit 99; done; "$@"; s=$?; '
                  f'for d in {folders}; do ls -A "$d" | sed "s/^/left: /"; done; exit $s')
    return ["ip", "netns", "exec", LINKS[host], "unshare", "--uts", "--mount", "sh", "-c", script, f"node-{'ab'[host]}", *argv]


def on_host(host, argv, environment, log, disk=None):
    """Starts such a command."""
    name, words = LINKS[host], words_on_host(host, argv, *([] if disk is None else [disk]))
    return subprocess.Popen([str(word) for word in words], env={**os.environ, **PORTABLE, "GLOO_SOCKET_IFNAME": name, **environment},
                            stdout=log, stderr=subprocess.STDOUT, start_new_session=True)


class Hosts(unittest.TestCase):
    """Starts programs on two hosts, each with a log, and ends them."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.children = []
        self.words_before = {}  # of the trainer, by rank
        self.out = self.folder / "out"
        self.addCleanup(self.end_children)

    def end_children(self):
        for child in self.children:
            if child.poll() is None:
                os.killpg(child.pid, signal.SIGKILL)
            child.wait()

    def config(self, steps):
        schema = json.loads((BUILD / "bin/parity-train.schema.json").read_text())
        config = {key: row["default"] for key, row in schema["keys"].items()} | SMALL | {"steps": steps}
        file = self.folder / f"config_{steps}.json"
        file.write_text(json.dumps(config))
        return file

    def start(self, host, argv, environment, name, disk=None):
        with open(self.folder / f"{name}.log", "w", encoding="utf-8") as log:
            self.children.append(on_host(host, argv, environment, log, disk))

    def log(self, name):
        return (self.folder / f"{name}.log").read_text(errors="replace")

    def start_ranks(self, steps, trace, seconds, more=(), disk=None):
        """\a disk is a folder of which each rank of node-b has its own."""
        for rank in range(4):
            self.start(rank // 2, [*self.words_before.get(rank, []), BUILD / "bin/parity-train", self.config(steps), "--trace", trace, *more],
                       {"RANK": str(rank), "WORLD_SIZE": "4", "LOCAL_RANK": str(rank % 2), "MASTER_ADDR": "10.77.0.1",
                        "MASTER_PORT": "29555", "PARITY_TIMEOUT": str(seconds)}, f"rank{rank}", disk if rank > 1 else None)

    def start_torchrun(self, steps, more, disk=None):
        """The ranks of start_ranks(), by an agent of torchrun on each host. node-b's agent has the disk for its ranks."""
        for node in range(2):
            self.start(node, [PYTHON, "-m", "torch.distributed.run", "--nnodes", 2, "--nproc-per-node", 2, "--node-rank", node,
                              "--master-addr", "10.77.0.1", "--master-port", 29556, "--no-python", BUILD / "bin/parity-train",
                              self.config(steps), *more], {}, f"node{node}", disk if node == 1 else None)

    def wait(self, seconds):
        end = time.monotonic() + seconds
        return [child.wait(max(0.1, end - time.monotonic())) for child in self.children]

    def alone(self, steps):
        """The trace of the same four ranks on this machine."""
        trace = self.folder / "local" / "trace.h5"
        trace.parent.mkdir()
        environment = {**os.environ, **PORTABLE, "PARITY_RENDEZVOUS": str(self.folder / "store"), "WORLD_SIZE": "4"}
        ranks = [subprocess.Popen([BUILD / "bin/parity-train", "--quiet", self.config(steps), "--trace", trace],
                                  env={**environment, "RANK": str(rank)}) for rank in range(4)]
        self.assertEqual([rank.wait(120) for rank in ranks], [0] * 4)
        return trace

    def compare(self, *words):
        return subprocess.run([BUILD / "bin/parity", "compare", *words], capture_output=True, text=True, check=False)

    def require_same(self, trace, steps):
        done = self.compare(self.alone(steps), trace)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("identical", done.stdout)

    def script(self, name, text):
        file = self.folder / name
        file.write_text("#!/bin/sh\n" + text)
        file.chmod(0o755)
        return str(file)

    def run_case(self, keys, place=(), meanwhile=lambda: None, ranks=2, seconds=60):
        """The case of an arm whose ranks are here, and one on two hosts with more keys. \a place are words before those of parity."""
        small = {key: value for key, value in SMALL.items() if key != "parallel.dp_shard"}
        (self.folder / "c.toml").write_text("\n".join([
            'title = "t"', 'question = "q?"', 'source = "https://example.org"', f"timeout_seconds = {seconds}", "[base]", "steps = 4",
            f"parallel.dp_shard = {ranks}", *(f"{key} = {value}" for key, value in small.items()), "[arms.here]", "[arms.hosts]",
            "nodes = 2", *(f"{key} = {json.dumps(value)}" for key, value in keys.items()), "[[checks]]", 'channel = "loss"', 'relation = "identical"', 'because = "hosts compute nothing else"', "[golden]", "arms = []", ""]))
        self.parity = subprocess.Popen([str(word) for word in
                                        [*place, BUILD / "bin/parity", "run", self.folder / "c.toml", "--out", self.out]],
                                       env={**os.environ, "MASTER_ADDR": "10.77.0.1", "PARITY_ADDRESS": "10.77.0.1"},
                                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True)
        self.children.append(self.parity)
        meanwhile()
        _, errors = self.parity.communicate()
        self.assertTrue((self.out / "results.json").exists(), errors)
        results = json.loads((self.out / "results.json").read_text())["cases"][0]
        return self.parity.returncode, results["arms"][1], results["checks"][0]["verdict"]


def main(lay_link=connect):
    """Runs the tests of the program between two hosts."""
    try:
        if not make_hosts(lay_link):
            print("skipped: needs root and network namespaces (ip netns add)")
            sys.exit(77)
        result = unittest.main(exit=False).result
    finally:
        remove_hosts()
    sys.exit(0 if result.wasSuccessful() else 1)
