# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Arms whose launcher starts a rank on a host that does not see the folder of the run: an empty disk lies over it there.

Usage: far_test.py BUILD_DIR PYTHON     as hosts_test.py
"""
import json
import os
import pathlib
import shlex
import signal
import subprocess
import time

import hosts
from hosts import LINKS, ip, words_on_host


class FarTest(hosts.Hosts):
    def rank_words(self, rank, before=""):
        """Starts a rank on its host, which sees the run's folder only if it is node-a. \a before  words of a shell script."""
        disks = ["/mnt"] if rank == 0 else ["/mnt", self.folder]
        blind = "" if rank == 0 else f'[ -z "$(ls -A {shlex.quote(str(self.folder))})" ] || exit 98; '
        words = words_on_host(rank, ["sh", "-c", blind + (before or 'exec "$@"'), "-"], *disks)
        line = " ".join(shlex.quote(str(word)) for word in words)
        return f'GLOO_SOCKET_IFNAME={LINKS[rank]} RANK={rank} WORLD_SIZE=2 {line} "$@" & all="$! $all"\n'

    def run_far(self, steps=4, far="", meanwhile=lambda: None, keys=(), seconds=60):
        wait = "for p in $all; do wait $p || { kill $all; wait; exit 1; }; done\n"
        launcher = self.script("launch.sh", "all=\n" + self.rank_words(0) + self.rank_words(1, far) + wait)
        return self.run_case({"steps": steps, "launcher": "external", "launcher_options": [launcher], "local_traces": "/mnt",
                              "shared_folder": False, **dict(keys)}, words_on_host(0, ["env", f"GLOO_SOCKET_IFNAME={LINKS[0]}"]), meanwhile, seconds=seconds)

    def run_folder(self, arm):
        return self.out / "runs" / arm["run"]

    def require_identical(self, _, arm, verdict):
        self.assertEqual((arm["status"], verdict), ("complete", "identical"), arm.get("failure"))
        self.assertNotIn("left:", (self.run_folder(arm) / "launcher.stdout").read_text())
        self.require_nothing_left()

    def require_nothing_left(self, seconds=3):
        """Waits for the processes of node-b to end."""
        end = time.monotonic() + seconds
        while ip("netns", "pids", LINKS[1]).stdout:
            self.assertLess(time.monotonic(), end, ip("netns", "pids", LINKS[1]).stdout)
            time.sleep(0.1)

    def wait_for_step(self, step):
        """Waits until parity knows that the far rank is at an update."""
        end = time.monotonic() + 120
        while True:
            for beat in (self.out / "runs").glob("*/heartbeat.1.json"):
                text = beat.read_text().strip()
                if (beat.parent / "launch.0").exists() and text.endswith("}") and json.loads(text).get("step", 0) >= step:
                    return
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)

    def test_a_rank_that_sees_no_folder_computes_the_same(self):
        status, arm, verdict = self.run_far()
        self.require_identical(status, arm, verdict)
        folder = self.run_folder(arm)
        began = [json.loads((folder / f"launch.0/rank.{rank}.began.json").read_text())["machine"] for rank in (0, 1)]
        self.assertEqual(began, ["node-a", "node-b"])
        self.assertEqual(json.loads((folder / "heartbeat.1.json").read_text())["phase"], "done")
        self.assertTrue((folder / "trace.rank1.h5").exists())

    def test_without_the_key_the_run_is_no_verdict(self):
        status, arm, verdict = self.run_far(keys={"shared_folder": True})
        self.assertEqual((status, verdict), (4, "crashed"), arm["failure"])
        self.assertRegex(arm["failure"]["message"], r"launch\.sh ended with exit status 1, and \d of its 2 ranks")
        self.assertIn("its launch.json is missing", (self.run_folder(arm) / "launcher.stderr").read_text())

    def test_latency_and_loss_change_nothing(self):
        for name in LINKS:
            done = subprocess.run(["tc", "-n", name, "qdisc", "add", "dev", name, "root", "netem", "delay", "5ms", "loss", "2%"],
                                  capture_output=True, text=True, check=False)
            if done.returncode != 0:
                self.skipTest("needs tc with netem: " + done.stderr)
            self.addCleanup(subprocess.run, ["tc", "-n", name, "qdisc", "del", "dev", name, "root"], check=False)
        self.require_identical(*self.run_far())

    def test_a_run_that_restarts_takes_its_parts_back(self):
        status, arm, verdict = self.run_far(keys={"checkpoint.restart_after": 2})
        self.require_identical(status, arm, verdict)
        self.assertTrue((self.run_folder(arm) / "launch.1").exists())

    def far_process(self):
        """The process of the far rank, at work."""
        self.wait_for_step(3)
        began, = (self.out / "runs").glob("*/launch.0/rank.1.began.json")
        return json.loads(began.read_text())["pid"]

    def test_a_killed_rank_is_named_with_its_host(self):
        status, arm, verdict = self.run_far(100000, meanwhile=lambda: os.kill(self.far_process(), signal.SIGKILL))
        self.assertEqual((status, verdict), (4, "crashed"), arm["failure"])
        self.assertRegex(arm["failure"]["message"], r"^rank 1 of .* on node-b was killed by signal 9")
        self.require_nothing_left()

    def test_a_host_that_dies_is_named(self):
        def kill():
            status = pathlib.Path(f"/proc/{self.far_process()}/status").read_text()
            os.kill(int(status.split("PPid:")[1].split()[0]), signal.SIGKILL)
        status, arm, verdict = self.run_far(100000, '"$@" & wait $!; sleep 100', meanwhile=kill)
        self.assertEqual((status, verdict), (4, "crashed"), arm["failure"])
        self.assertRegex(arm["failure"]["message"], r"^rank 1 of .* on node-b is gone")

    def test_a_failing_rank_says_why(self):
        status, arm, verdict = self.run_far(4, 'export PARITY_EXACT_KEY=x; exec "$@"')
        self.assertEqual((status, verdict), (2, "crashed"), arm["failure"])
        self.assertRegex(arm["failure"]["message"], r"rank 1 of .* on node-b ended with exit status 2: .*PARITY_EXACT_KEY=x")

    def test_a_cut_link_is_no_verdict_and_leaves_no_process(self):
        def cut():
            self.wait_for_step(3)
            ip("-n", LINKS[0], "link", "set", LINKS[0], "down")
        self.addCleanup(ip, "-n", LINKS[0], "link", "set", LINKS[0], "up")
        status, arm, verdict = self.run_far(100000, meanwhile=cut, seconds=30)
        self.assertEqual(status, 4)
        self.assertIn(verdict, ("crashed", "hung"), arm["failure"])
        self.assertRegex(arm["failure"]["message"], r"rank \d of .* on node-[ab]")
        self.require_nothing_left(60)

    def test_ranks_end_when_parity_is_killed(self):
        def kill():
            self.wait_for_step(3)
            os.killpg(self.parity.pid, signal.SIGKILL)
        with self.assertRaises(AssertionError):  # parity left no results
            self.run_far(100000, meanwhile=kill)
        self.require_nothing_left(10)


if __name__ == "__main__":
    hosts.main()
