# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""What goes wrong on a cluster, planted in a real Slurm: each failure has its sentence and its exit status, and nothing
is left.

Usage: failures_test.py SOURCE_DIR PARITY [TEST...]
"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

from suite import COPY, PARITY, SITE, SlurmTest, main

HANG = "sleep 100"


class FailuresTest(SlurmTest):
    cluster_options = {"min_job_age": 5}

    def expect_failure(self, arm, kind, pattern):
        found, message = self.failure(arm)
        self.assertRegex(message, pattern)
        self.assertEqual(found, kind)
        self.expect_nothing_left()

    def begun(self):
        file = self.folder / "begun"
        return file.read_text().split() if file.exists() else []

    def running_job(self):
        """The number of the job that runs arm a."""
        self.wait_for(self.begun, "the run has begun")
        task = next(file for file in (self.folder / "out/jobs").glob("*/*/job.json")
                    if json.loads(file.read_text())["run"]["label"] == "c:a")
        return json.loads(task.with_name("id").read_text())["id"]

    def test_no_scheduler(self):
        tools = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        for tool in pathlib.Path("/usr/bin").iterdir():
            if tool.name not in ["sbatch", "squeue", "scancel", "sinfo"]:
                (tools / tool.name).symlink_to(tool)
        output = self.run_suite(self.case(a=COPY, b=COPY), status=3,
                                environment={**self.cluster.environment, "PATH": str(tools)})
        self.assertIn("sbatch of Slurm is not in PATH", output)

    def test_scheduler_that_does_not_answer(self):
        conf = self.folder / "slurm.conf"
        conf.write_text(self.cluster.conf.read_text().replace("SlurmctldPort=", "SlurmctldPort=1#") + "MessageTimeout=2\n")
        output = self.run_suite(self.case(a=COPY, b=COPY), status=3,
                                environment={**self.cluster.environment, "SLURM_CONF": str(conf)})
        self.assertRegex(output, "Slurm does not answer: .*; see: sinfo")

    def test_unknown_partition(self):
        output = self.run_suite(self.case(a=COPY, b=COPY), "--partition", "mian", status=2)
        self.assertIn("unknown partition 'mian' (Slurm has main, urgent, short)", output)

    def test_unknown_site(self):
        output = self.run_suite(self.case(a=COPY, b=COPY), on="tset", status=3)
        self.assertRegex(output, r"unknown site 'tset' .*did you mean 'test'")

    def test_refused_options(self):
        self.sites(SITE + "options = ['--gres=gpu:3']\n")
        output = self.run_suite(self.case(a=COPY, b=COPY), status=2)
        self.assertRegex(output, "cannot submit .*Invalid generic resource")

    def test_a_job_that_can_never_start(self):
        self.sites(SITE + "options = ['--ntasks=100']\n")
        output = self.run_suite(self.case(a=COPY, b=COPY), status=2)
        self.assertRegex(output, r"job \d+ of .* can never start \(PartitionConfig\)")
        self.expect_nothing_left()

    def test_failed_run(self):
        self.run_suite(self.case(a="echo the reason >&2; exit 7", b=COPY), status=4)
        self.expect_failure("a", "crashed", "^c:a ended with exit status 7: the reason$")
        self.assertTrue((self.folder / "out/runs" / self.arm("a")["run"] / "stderr").exists())
        self.assertEqual(self.arm("a")["stderr_tail"], "the reason")

    def test_run_without_a_trace(self):
        self.run_suite(self.case(a="true", b=COPY), status=4)
        self.expect_failure("a", "no_trace", "wrote no trace")

    def test_folder_that_nodes_do_not_see(self):
        hidden = self.folder / "out/jobs"
        # A mount that only the controller sees: parity runs in a mount namespace of its own.
        words = ["unshare", "--mount", "sh", "-c",
                 f"mkdir -p {self.folder}/out && mount -t tmpfs none {self.folder}/out && exec \"$@\"; exit 99", "sh"]
        file = self.case(a=COPY, b=COPY)
        done = subprocess.run([*words, PARITY, "run", file, "--on", "test", "--sites", self.folder / "parity.toml",
                               "--out", self.folder / "out"], capture_output=True, text=True, timeout=60,
                              env=self.cluster.environment)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertRegex(done.stderr, rf"node node\d does not see {hidden}.*choose a folder that all nodes share")

    def test_program_that_nodes_lack(self):
        copy = self.folder / "parity"
        os.link(PARITY, copy) if os.stat(PARITY).st_dev == os.stat(self.folder).st_dev else copy.write_bytes(PARITY.read_bytes())
        copy.chmod(0o755)
        command = [copy, "run", self.case(a=f"touch {self.folder}/begun; rm {copy}; sleep 2; {COPY}", b="sleep 3;" + COPY),
                   "--max-jobs", "1", "--on", "test", "--sites", self.folder / "parity.toml", "--out", self.folder / "out",
                   "--trainer", PARITY.parent / "parity-train"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=self.cluster.environment)
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        self.expect_failure("b", "missing", r"node node\d has no program .*/parity")

    def test_expired_time_limit(self):
        # A job gets a minute at least, and half a minute of grace, so the scheduler's own command shortens it.
        process = self.start(self.case(a=f"echo x >> {self.folder}/begun; {HANG}", b=COPY))
        job = self.running_job()
        self.cluster.run("scontrol", "update", f"JobId={job}", "TimeLimit=0:01")
        self.end(process, 4)
        self.expect_failure("a", "hung", r"job \d+ of c:a exceeded its time limit on node\d; give more with time_minutes")

    def test_cancelled_by_somebody_else(self):
        process = self.start(self.case(a=f"echo x >> {self.folder}/begun; {HANG}", b=COPY))
        self.cluster.run("scancel", self.running_job())
        self.end(process, 4)
        self.expect_failure("a", "crashed", "was cancelled by somebody else")

    def test_preempted_run_is_submitted_again(self):
        file = self.case(a=f"echo x >> {self.folder}/begun; [ -e {self.folder}/second ] || {HANG}; {COPY}", b=COPY)
        process = self.start(file)
        self.running_job()
        (self.folder / "second").touch()
        urgent = self.cluster.run("sbatch", "--parsable", "--partition=urgent", "--nodes=2", "--exclusive",
                                  "--output=/dev/null", "--wrap", "sleep 3").strip()
        output = self.end(process, 0)
        self.assertRegex(output, r"job \d+ of c:a was preempted.*; it is submitted again")
        self.assertEqual(len(self.begun()), 2)
        self.cluster.run("scancel", urgent, check=False)
        self.expect_nothing_left()

    def test_node_that_goes_down(self):
        process = self.start(self.case(a=f"echo x >> {self.folder}/begun; [ -e {self.folder}/second ] || {HANG}; {COPY}",
                                       b=COPY))
        job = self.running_job()
        (self.folder / "second").touch()
        node = self.cluster.run("squeue", "-h", "-j", job, "-o", "%N").strip()
        self.cluster.run("scontrol", "update", f"NodeName={node}", "State=DOWN", "Reason=test")
        try:
            output = self.end(process, 0)
        finally:
            self.cluster.run("scontrol", "update", f"NodeName={node}", "State=RESUME", check=False)
        self.assertRegex(output, r"job \d+ of c:a lost its node.*; it is submitted again")
        self.expect_nothing_left()

    def test_lost_node_whose_job_goes_on(self):
        """Its late files do not reach the run of its successor."""
        late = f"while [ ! -e {self.folder}/late ]; do sleep 0.1; done; echo late > {{run_dir}}/late; touch {self.folder}/done"
        process = self.start(self.case(a=f"echo x >> {self.folder}/begun; [ -e {self.folder}/second ] || ({late}); {COPY}",
                                       b=COPY))
        job = self.running_job()
        (self.folder / "second").touch()
        node = self.cluster.run("squeue", "-h", "-j", job, "-o", "%N").strip()
        self.cluster.kill(node)
        try:
            output = self.end(process, 0)
            self.assertIn("lost its node", output)
            (self.folder / "late").touch()
            self.wait_for_file("done")
        finally:
            self.cluster.start_node(node)
        self.assertFalse((self.folder / "out/runs" / self.arm("a")["run"] / "late").exists())
        self.wait_for(lambda: "idle" in self.cluster.run("sinfo", "-h", "-n", node, "-o", "%T"), "the node is back")

    def forget_a_killed_job(self, environment=None):
        """Kills parity and the job, until the scheduler has forgotten it."""
        process = self.start(self.case(a=f"echo $$ >> {self.folder}/begun; {HANG}", b=COPY), environment=environment)
        self.running_job()
        process.kill()
        process.communicate()
        self.kill_job()
        self.wait_for(lambda: not self.cluster.run("squeue", "-h", "-t", "all"), "the scheduler forgets the jobs", 60)

    def kill_job(self):
        """Kills the process of the job that runs the shell of arm a."""
        shell = int(self.begun()[0])
        os.kill(int(pathlib.Path(f"/proc/{shell}/stat").read_text().rsplit(")", 1)[1].split()[1]), signal.SIGKILL)

    def test_job_that_vanishes(self):
        self.forget_a_killed_job()
        self.run_suite(self.folder / "c.toml", status=4)
        self.expect_failure("a", "crashed", "vanished.*neither squeue nor scontrol nor sacct knows it")

    def test_sacct_knows_what_the_scheduler_forgot(self):
        tools = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        environment = {**self.cluster.environment, "PATH": f"{tools}:{os.environ['PATH']}"}
        self.forget_a_killed_job(environment)
        (tools / "sacct").write_text("#!/bin/sh\necho 'OUT_OF_MEMORY|0:125|node7'\n")  # the cluster has no accounting
        (tools / "sacct").chmod(0o755)
        self.run_suite(self.folder / "c.toml", status=4, environment=environment)
        self.expect_failure("a", "crashed", "exceeded its memory on node7")

    def test_killed_job(self):
        process = self.start(self.case(a=f"echo $$ >> {self.folder}/begun; {HANG}", b=COPY))
        self.running_job()
        self.kill_job()
        self.end(process, 4)
        self.expect_failure("a", "crashed", r"job \d+ of c:a failed on node\d \(\w+, exit status 137\)")

    def test_scheduler_that_restarts(self):
        process = self.start(self.case(a=f"echo x >> {self.folder}/begun; sleep 6; {COPY}", b=f"sleep 6; {COPY}"))
        self.running_job()
        self.cluster.run("scontrol", "shutdown", "slurmctld")
        self.cluster.daemons.pop("slurmctld").wait()
        time.sleep(2)
        self.cluster.start_controller()
        self.end(process, 0)


class FullQueueTest(SlurmTest):
    cluster_options = {"max_jobs": 3, "min_job_age": 2}

    def test_runs_wait_for_a_place(self):
        arms = {name: f"echo {name} >> {self.folder}/begun; {COPY}" for name in "abcdef"}
        output = self.run_suite(self.case(**arms))
        self.assertIn("runs wait for a place in the queue", output)
        self.assertEqual(sorted((self.folder / "begun").read_text().split()), list("abcdef"))
        self.expect_nothing_left()


class SubmitLimitTest(SlurmTest):
    def refusing_sbatch(self, times):
        """A sbatch that refuses some jobs, as one does at the limit of an account."""
        tools = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        (tools / "sbatch").write_text(f"""#!/bin/sh
echo x >> {tools}/calls
if [ $(wc -l < {tools}/calls) -le {times} ]; then
  echo 'sbatch: error: Job violates accounting/QOS policy (job submit limit, user size and/or time limits)' >&2
  exit 1
fi
exec {shutil.which("sbatch")} "$@"
""")
        (tools / "sbatch").chmod(0o755)
        return {**self.cluster.environment, "PATH": f"{tools}:{os.environ['PATH']}"}

    def test_refused_runs_are_submitted_again(self):
        output = self.run_suite(self.case(a=COPY, b=COPY), environment=self.refusing_sbatch(3))
        self.assertRegex(output, "runs wait for a place in the queue .sbatch: Job violates")

    def test_patience_ends(self):
        self.run_suite(self.case("ask", a=COPY, b=COPY))
        self.sites(SITE + "patience_minutes = 0.01\n")
        self.run_suite(self.case(a=COPY, b=COPY), environment=self.refusing_sbatch(1000), status=4)
        kind, message = self.failure("a")
        self.assertEqual(kind, "not_started")
        self.assertRegex(message, "cannot submit c:a .sbatch refused it for .*smaller --max-jobs")


if __name__ == "__main__":
    main()
