# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""parity-train over two hosts: network namespaces with addresses and names of their own, and a link that is cut.

Usage: hosts_test.py BUILD_DIR PYTHON     as root; else, and where namespaces are not to be had, status 77 (skipped)
"""
import json
import re
import shlex
import shutil
import time
import unittest

import hosts
from hosts import BUILD, LINKS, ip, words_on_host


class HostsTest(hosts.Hosts):
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

    def run_by(self, launcher, steps=4):
        """run_case() with a script that starts the ranks, each in the background with its process in $all."""
        wait = "for p in $all; do wait $p || { kill $all; wait; exit 1; }; done\n"
        return self.run_launched("external", [self.script("launch.sh", "all=\n" + launcher + wait)], steps)

    def run_launched(self, launcher, options, steps=4, place=()):
        """run_case() with a launcher that has a rank on each host, with a disk of its own at /mnt."""
        return self.run_case({"steps": steps, "launcher": launcher, "launcher_options": options, "local_traces": "/mnt"}, place)

    def rank_words(self, rank):
        words = words_on_host(rank, [], "/mnt")
        line = " ".join(shlex.quote(str(word)) for word in words)
        return f"GLOO_SOCKET_IFNAME={LINKS[rank]} RANK={rank} WORLD_SIZE=2 {line} \"$@\" & all=\"$! $all\"\n"

    def test_parts_on_the_disks_of_two_hosts_make_one_trace(self):
        _, arm, verdict = self.run_by(self.rank_words(0) + self.rank_words(1))
        self.assertEqual((arm["status"], verdict), ("complete", "identical"), arm["failure"])
        self.assertNotIn("left:", (self.out / "runs" / arm["run"] / "launcher.stdout").read_text())

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
        beat = json.loads((self.out / "runs" / arm["run"] / "heartbeat.0.json").read_text())
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
        out = self.out / "runs" / arm["run"]
        self.assertEqual([json.loads((out / f"launch.0/rank.{rank}.began.json").read_text())["machine"] for rank in (0, 1)],
                         ["node-a", "node-b"])
        self.assertNotIn("left:", (out / "launcher.stderr").read_text() + (out / "launcher.stdout").read_text())

    def test_torchrun_on_two_hosts_computes_the_bits_of_one(self):
        trace = self.folder / "trace.h5"
        self.start_torchrun(4, ["--trace", trace])
        self.assertEqual(self.wait(200), [0, 0], self.log("node0") + self.log("node1"))
        self.require_same(trace, 4)

    def test_a_cut_link_ends_every_rank_and_each_names_its_host(self):
        trace = self.folder / "trace.h5"
        self.start_ranks(100000, trace, 15)
        end = time.monotonic() + 90
        while "step      3/" not in self.log("rank0"):
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
    hosts.main()
