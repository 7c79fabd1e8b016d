# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""parity-train over two hosts: network namespaces with addresses and names of their own, and a link that is cut.

Usage: hosts_test.py BUILD_DIR PYTHON     as root; else, and where namespaces are not to be had, status 77 (skipped)
"""
import json
import os
import pathlib
import re
import shlex
import shutil
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


def make_hosts():
    """Two namespaces with one link between them. False: this machine or user cannot have them."""
    a, b = LINKS
    if os.geteuid() != 0 or ip("netns", "add", a).returncode != 0:
        return False
    commands = [("netns", "add", b), ("link", "add", a, "netns", a, "type", "veth", "peer", "name", b, "netns", b)]
    for name, address in ((a, "10.77.0.1/24"), (b, "10.77.0.2/24")):
        commands += [("-n", name, "addr", "add", address, "dev", name), ("-n", name, "link", "set", name, "up"),
                     ("-n", name, "link", "set", "lo", "up")]
    return all(ip(*command).returncode == 0 for command in commands)


def remove_hosts():
    for name in LINKS:
        ip("netns", "del", name)


def words_on_host(host, argv, disk=None):
    """A command on host 0 or 1, called node-a or node-b. \a disk is a folder that is then empty and the command's own; what
    the command leaves in it is printed."""
    name, node = LINKS[host], f"node-{'ab'[host]}"
    script = 'hostname "$0" && exec "$@"'
    if disk is not None:
        script = 'd=$1; shift; hostname "$0" && mount -t tmpfs none "$d" && { "$@"; s=$?; ls -A "$d" | sed "s/^/left: /"; exit $s; }'
        argv = [disk, *argv]
    return ["ip", "netns", "exec", name, "unshare", "--uts", "--mount", "sh", "-c", script, node, *argv]


def on_host(host, argv, environment, log, disk=None):
    """Starts such a command."""
    name, words = LINKS[host], words_on_host(host, argv, disk)
    return subprocess.Popen([str(word) for word in words], env={**os.environ, **PORTABLE, "GLOO_SOCKET_IFNAME": name, **environment},
                            stdout=log, stderr=subprocess.STDOUT, start_new_session=True)


class HostsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.children = []
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
            self.start(rank // 2, [BUILD / "bin/parity-train", self.config(steps), "--trace", trace, *more],
                       {"RANK": str(rank), "WORLD_SIZE": "4", "LOCAL_RANK": str(rank % 2), "MASTER_ADDR": "10.77.0.1",
                        "MASTER_PORT": "29555", "PARITY_TIMEOUT": str(seconds)}, f"rank{rank}", disk if rank > 1 else None)

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

    def test_two_hosts_compute_the_bits_of_one(self):
        trace = self.folder / "trace.h5"
        self.start_ranks(4, trace, 60)
        self.assertEqual(self.wait(120), [0] * 4, self.log("rank0"))
        self.require_same(trace, 4)

    def test_hosts_without_a_shared_folder_send_their_parts(self):
        disk = self.folder / "disk"
        disk.mkdir()
        self.start_ranks(4, disk / "trace.h5", 60, ["--collect-trace"], disk)
        self.assertEqual(self.wait(120), [0] * 4, self.log("rank0"))
        for rank in (2, 3):
            self.assertNotIn("left:", self.log(f"rank{rank}"))
        self.assertEqual(sorted(file.name for file in disk.iterdir()), ["trace.h5", *(f"trace.rank{rank}.h5" for rank in (1, 2, 3))])
        self.require_same(disk / "trace.h5", 4)

    def test_hosts_without_a_shared_folder_are_told_so(self):
        disk = self.folder / "disk"
        disk.mkdir()
        self.start_ranks(4, disk / "trace.h5", 60, (), disk)
        self.assertNotEqual(self.wait(120)[0], 0)
        self.assertRegex(self.log("rank0"), r"rank 2 wrote no file trace\.rank2\.h5 next to it.*--collect-trace")
        self.assertFalse((disk / "trace.h5").exists())
        refused = self.compare(disk / "trace.h5.partial", disk / "trace.h5.partial")
        self.assertNotIn(refused.returncode, (0, 1), refused.stdout)

    def script(self, name, text):
        file = self.folder / name
        file.write_text("#!/bin/sh\n" + text)
        file.chmod(0o755)
        return str(file)

    def run_by(self, launcher, steps=4):
        """run_case() with a script that starts the ranks, each in the background with its process in $all."""
        wait = "for p in $all; do wait $p || { kill $all; wait; exit 1; }; done\n"
        return self.run_launched("external", [self.script("launch.sh", "all=\n" + launcher + wait)], steps)

    def run_launched(self, launcher, options, steps=4, place=()):
        """run_case() with a launcher that has a rank on each host, with a disk of its own at /mnt."""
        return self.run_case({"steps": steps, "launcher": launcher, "launcher_options": options, "local_traces": "/mnt"}, place)

    def run_case(self, keys, place=()):
        """The case of one arm of two ranks here, and one on two hosts with more keys. \a place are words before those of parity."""
        small = {key: value for key, value in SMALL.items() if key != "parallel.dp_shard"}
        (self.folder / "c.toml").write_text("\n".join([
            'title = "t"', 'question = "q?"', 'source = "https://example.org"', "timeout_seconds = 20", "[base]", "steps = 4",
            "parallel.dp_shard = 2", *(f"{key} = {value}" for key, value in small.items()), "[arms.here]", "[arms.hosts]",
            "nodes = 2", *(f"{key} = {json.dumps(value)}" for key, value in keys.items()), "[[checks]]", 'channel = "loss"', 'relation = "identical"', 'because = "hosts compute nothing else"', "[golden]", "arms = []", ""]))
        done = subprocess.run([*place, BUILD / "bin/parity", "run", self.folder / "c.toml", "--out", self.folder / "out"],
                              env={**os.environ, "MASTER_ADDR": "10.77.0.1"}, capture_output=True, text=True, check=False)
        results = json.loads((self.folder / "out/results.json").read_text())["cases"][0]
        return done.returncode, results["arms"][1], results["checks"][0]["verdict"]

    def rank_words(self, rank):
        words = words_on_host(rank, [], "/mnt")
        line = " ".join(shlex.quote(str(word)) for word in words)
        return f"GLOO_SOCKET_IFNAME={LINKS[rank]} RANK={rank} WORLD_SIZE=2 {line} \"$@\" & all=\"$! $all\"\n"

    def test_parts_on_the_disks_of_two_hosts_make_one_trace(self):
        _, arm, verdict = self.run_by(self.rank_words(0) + self.rank_words(1))
        self.assertEqual((arm["status"], verdict), ("complete", "identical"), arm["failure"])
        self.assertNotIn("left:", (self.folder / "out/runs" / arm["run"] / "launcher.stdout").read_text())

    def test_a_host_that_dies_before_it_moved_its_part_is_named(self):
        dies = self.rank_words(1).replace('"$@" &', 'sh -c \'"$@" & sleep 3; kill -9 $!\' - "$@" &')
        status, arm, verdict = self.run_by(self.rank_words(0) + dies, 100000)
        self.assertEqual((status, verdict), (4, "crashed"), arm["failure"])
        self.assertRegex(arm["failure"]["message"], r"rank 1 .*on node-b")

    def test_a_command_may_reach_hosts_without_a_shared_folder(self):
        b = " ".join(shlex.quote(str(word)) for word in words_on_host(1, ["sh", "-c", 'mkdir -p "$0" && tar x -C "$0" && exec "$@"'],
                                                                      self.folder))
        a = " ".join(shlex.quote(str(word)) for word in words_on_host(0, []))
        script = self.script("hosts.sh", "\n".join([
            "export WORLD_SIZE=2 MASTER_ADDR=10.77.0.1 MASTER_PORT=29558",
            f'tar c -C "$1" config.json capture.json | GLOO_SOCKET_IFNAME={LINKS[1]} RANK=1 {b} "$@" &',
            f'shift; GLOO_SOCKET_IFNAME={LINKS[0]} RANK=0 {a} "$@" && wait $!', ""]))
        _, arm, verdict = self.run_case({"command": [script, "{run_dir}", str(BUILD / "bin/parity-train"), "--collect-trace"], "ranks": 2,
                                         "launcher": "external"})
        self.assertEqual((arm["status"], verdict), ("complete", "identical"), arm["failure"])
        beat = json.loads((self.folder / "out/runs" / arm["run"] / "heartbeat.0.json").read_text())
        self.assertEqual((beat["phase"], beat["step"]), ("done", 4))

    @unittest.skipIf(shutil.which("mpirun") is None, "needs mpirun of Open MPI")
    def test_mpirun_starts_a_rank_on_each_host(self):
        on_b = " ".join(shlex.quote(str(word)) for word in words_on_host(1, ["sh", "-c"], "/mnt"))
        agent = self.script("agent.sh", f'shift\nGLOO_SOCKET_IFNAME={LINKS[1]} exec {on_b} "$*"\n')
        network = ["oob_tcp_if_include", "10.77.0.0/24", "btl_tcp_if_include", "10.77.0.0/24", "plm_rsh_agent", agent]
        options = [word for i in range(0, 6, 2) for word in ("--mca", *network[i:i + 2])]
        _, arm, verdict = self.run_launched("mpirun", ["--allow-run-as-root", "--host", "10.77.0.1,10.77.0.2", *options],
                                        place=words_on_host(0, ["env", f"GLOO_SOCKET_IFNAME={LINKS[0]}"], "/mnt"))
        self.assertEqual((arm["status"], verdict), ("complete", "identical"), arm["failure"])
        out = self.folder / "out/runs" / arm["run"]
        self.assertEqual([json.loads((out / f"launch.0/rank.{rank}.began.json").read_text())["machine"] for rank in (0, 1)],
                         ["node-a", "node-b"])
        self.assertNotIn("left:", (out / "launcher.stderr").read_text() + (out / "launcher.stdout").read_text())

    def test_torchrun_on_two_hosts_computes_the_bits_of_one(self):
        trace = self.folder / "trace.h5"
        for node in range(2):
            self.start(node, [PYTHON, "-m", "torch.distributed.run", "--nnodes", 2, "--nproc-per-node", 2, "--node-rank", node,
                              "--master-addr", "10.77.0.1", "--master-port", 29556, "--no-python", BUILD / "bin/parity-train",
                              self.config(4), "--trace", trace], {}, f"node{node}")
        self.assertEqual(self.wait(200), [0, 0], self.log("node0") + self.log("node1"))
        self.require_same(trace, 4)

    def test_a_cut_link_ends_every_rank_and_each_names_its_host(self):
        trace = self.folder / "trace.h5"
        self.start_ranks(100000, trace, 15)
        end = time.monotonic() + 90
        while "step    3" not in self.log("rank0"):
            self.assertLess(time.monotonic(), end, self.log("rank0"))
            time.sleep(0.05)
        ip("-n", LINKS[0], "link", "set", LINKS[0], "down")
        self.addCleanup(ip, "-n", LINKS[0], "link", "set", LINKS[0], "up")
        self.assertEqual(self.wait(60), [5] * 4)
        for rank in range(4):
            self.assertRegex(self.log(f"rank{rank}"),
                             rf"collective \d+, \w+ over \w+ as rank {rank} of 4 on node-{'ab'[rank // 2]}, did not end")
        self.assertFalse(trace.exists())
        refused = self.compare(trace.with_name("trace.h5.partial"), trace.with_name("trace.h5.partial"))
        self.assertNotIn(refused.returncode, (0, 1), refused.stdout)

    def test_hosts_that_never_meet_name_the_address(self):
        trace = self.folder / "trace.h5"
        self.start(1, [BUILD / "bin/parity-train", self.config(4), "--trace", trace],
                   {"RANK": "1", "WORLD_SIZE": "2", "MASTER_ADDR": "10.77.0.1", "MASTER_PORT": "29557", "PARITY_TIMEOUT": "4"}, "rank1")
        self.assertNotEqual(self.wait(60), [0])
        self.assertTrue(re.search(r"rank 1 cannot reach the store at 10\.77\.0\.1:29557", self.log("rank1")), self.log("rank1"))


if __name__ == "__main__":
    try:
        if not make_hosts():
            print("skipped: needs root and network namespaces (ip netns add)")
            sys.exit(77)
        result = unittest.main(exit=False).result
    finally:
        remove_hosts()
    sys.exit(0 if result.wasSuccessful() else 1)
