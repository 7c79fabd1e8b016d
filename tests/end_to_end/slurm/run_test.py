# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""parity run --on SITE with a real Slurm: verdicts, killed controllers, Ctrl-C.

Usage: run_test.py SOURCE_DIR PARITY [TEST...]
"""
import json
import signal
import subprocess

from suite import COPY, PARITY, SITE, SlurmTest, main


class RunTest(SlurmTest):
    def test_verdicts_equal_those_of_local_runs(self):
        file = self.case(a=COPY, b=COPY)
        output = self.run_suite(file)
        self.assertIn("identical loss of", output)
        self.assertEqual([path for path in (self.folder / "out/jobs").iterdir() if path.is_dir()], [])
        again = self.run_suite(file)
        self.assertIn("2 from the cache", again)
        subprocess.run([PARITY, "run", file, "--out", self.folder / "local"], check=True, capture_output=True,
                       env=self.cluster.environment)
        checks = [[check["sentence"] for check in self.results(out)["cases"][0]["checks"]] for out in ["out", "local"]]
        self.assertEqual(checks[0], checks[1])
        self.expect_nothing_left()

    def test_runs_execute_on_nodes_without_slurm_variables(self):
        file = self.case(a=f"env > {self.folder}/a.env; {COPY}", b=COPY)
        self.run_suite(file)
        names = {line.split("=")[0] for line in (self.folder / "a.env").read_text().splitlines()}
        self.assertEqual({name for name in names if name.startswith("SLURM")}, {"SLURM_CONF"})

    def test_runs_execute_in_the_working_folder(self):
        (self.folder / "relative.txt").write_text("x")
        self.run_suite(self.case(a=f"grep -q x relative.txt && {COPY}", b=COPY))

    def test_max_jobs_bounds_the_jobs(self):
        script = f"echo $PARITY_TRACE >> {self.folder}/begun; sleep 1; {COPY}; "
        process = self.start(self.case(a=script + "#1", b=script + "#2", c=script + "#3"), "--max-jobs", "1")
        most = 0
        while process.poll() is None:
            most = max(most, len(self.cluster.jobs()))
        self.end(process, 0)
        self.assertEqual(most, 1)
        self.assertEqual(len((self.folder / "begun").read_text().splitlines()), 3)

    def test_a_killed_controller_finds_its_jobs_again(self):
        script = f"echo x >> {self.folder}/begun; while [ ! -e {self.folder}/go ]; do sleep 0.1; done; {COPY}; "
        file = self.case(a=script + "#1", b=script + "#2")
        process = self.start(file)
        self.wait_for(lambda: (self.folder / "begun").exists() and len((self.folder / "begun").read_text().split()) == 2)
        jobs = sorted(self.cluster.jobs())
        process.kill()
        process.communicate()
        self.assertEqual(sorted(self.cluster.jobs()), jobs)  # they go on
        process = self.start(file)
        self.wait_for(lambda: (self.folder / "out/.lock").exists())
        (self.folder / "go").touch()
        output = self.end(process, 0)
        self.assertEqual(output.count("continues in the job of an earlier command"), 2)
        self.assertEqual(len((self.folder / "begun").read_text().split()), 2)  # none ran twice
        self.expect_nothing_left()

    def test_results_of_jobs_that_ended_meanwhile_count(self):
        script = f"echo x >> {self.folder}/begun; sleep 1; {COPY}; "
        file = self.case(a=script + "#1", b=script + "#2")
        self.start_and_kill(file)
        self.wait_for(lambda: not self.cluster.jobs())
        self.run_suite(file)
        self.assertEqual(len((self.folder / "begun").read_text().split()), 2)

    def start_and_kill(self, file, jobs=1):
        """Kills a controller after a run has begun and `jobs` are submitted."""
        process = self.start(file)
        self.wait_for_file("begun")
        self.wait_for(lambda: len(self.cluster.jobs()) >= jobs)
        process.kill()
        process.communicate()

    def test_a_job_whose_number_was_lost_is_found_by_its_name(self):
        script = f"echo x >> {self.folder}/begun; sleep 3; {COPY}; "
        file = self.case(a=script + "#1", b=script + "#2")
        self.start_and_kill(file)
        for number in (self.folder / "out/jobs").glob("*/*/id"):
            number.unlink()
        self.run_suite(file)
        self.assertEqual(len((self.folder / "begun").read_text().split()), 2)

    def kill_with_jobs_of_unknown_inputs(self):
        script = f"echo x >> {self.folder}/begun; sleep 3; {COPY}; "
        file = self.case(inputs=False, a=script + "#1", b=script + "#2")
        self.start_and_kill(file, jobs=2)
        return file

    def test_jobs_of_unknown_inputs_are_not_continued(self):
        """As the cache never answers for them: an unlisted file may have changed since."""
        output = self.run_suite(self.kill_with_jobs_of_unknown_inputs())
        self.assertEqual(output.count("is cancelled; --attach continues it"), 2)
        self.expect_nothing_left()

    def test_attach_continues_jobs_of_unknown_inputs(self):
        output = self.run_suite(self.kill_with_jobs_of_unknown_inputs(), "--attach")
        self.assertEqual(output.count("continues in the job of an earlier command"), 2)
        self.assertEqual(len((self.folder / "begun").read_text().split()), 2)

    def test_no_cache_does_not_continue_jobs(self):
        script = f"echo x >> {self.folder}/begun; sleep 3; {COPY}; "
        file = self.case(a=script + "#1", b=script + "#2")
        self.start_and_kill(file)
        self.assertNotIn("continues in the job", self.run_suite(file, "--no-cache"))
        self.expect_nothing_left()

    def test_an_input_that_changed_while_a_job_waited(self):
        self.run_suite(self.case("ask", a=COPY, b=COPY))
        blocker = self.cluster.run("sbatch", "--parsable", "--nodes=2", "--exclusive", "--output=/dev/null", "--wrap",
                                   "sleep 100").strip()
        process = self.start(self.case(a=COPY + " #1", b=COPY + " #2"))
        self.wait_for(lambda: len(self.cluster.jobs()) == 3)
        with open(self.folder / "good.h5", "ab") as file:
            file.write(b"more")
        self.cluster.run("scancel", blocker)
        self.end(process, 3)
        kind, message = self.failure("a")
        self.assertEqual(kind, "missing")
        self.assertRegex(message, r"cannot execute c:a on node\d \(not as planned: input good.h5; it changed while")

    def test_interrupt_cancels_ours_and_no_other(self):
        other = self.cluster.run("sbatch", "--parsable", "--output=/dev/null", "--wrap", "sleep 100").strip()
        file = self.case(**{name: f"touch {self.folder}/begun; sleep 100; #{name}" for name in "abcdefghijk"})
        process = self.start(file)
        self.wait_for_file("begun")
        process.send_signal(signal.SIGINT)
        output = self.end(process, 130)
        self.assertIn("interrupted: 0 of 1 cases are judged", output)
        self.wait_for(lambda: [job for job, _name, _state in self.cluster.jobs()] == [other])
        self.cluster.run("scancel", other)
        self.expect_nothing_left()
        self.case(**{name: COPY for name in "abcdefghijk"})
        self.run_suite(file)

    def test_interrupt_while_submitting_leaves_no_job(self):
        file = self.case(**{name: f"sleep 100; #{name}" for name in "abcdefgh"})
        self.run_suite(self.case("ask", a=COPY, b=COPY))  # so that the machine is known
        for delay in [0.05, 0.15, 0.3]:
            process = self.start(file)
            try:
                process.wait(delay)
            except subprocess.TimeoutExpired:
                pass
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=60)
            self.assertIn(process.returncode, [130, -2])
            self.expect_nothing_left()

    def test_two_controllers_on_one_folder(self):
        file = self.case(a=f"touch {self.folder}/begun; sleep 5; {COPY}", b=COPY)
        first = self.start(file)
        self.wait_for_file("begun")
        output = self.run_suite(file, status=2)
        self.assertIn("in use by process", output)
        self.end(first, 0)

    def test_another_cpu_than_planned_is_refused(self):
        file = self.case(a=COPY, b=COPY)
        self.run_suite(self.case("ask", a=COPY, b=COPY + " #2"))
        known = self.folder / "out/jobs/machine.json"
        machine = json.loads(known.read_text())
        machine["machine"]["cpu"]["vendor"] = "Another"
        known.write_text(json.dumps(machine))
        self.run_suite(file, status=3)
        kind, message = self.failure("a")
        self.assertEqual(kind, "missing")
        self.assertRegex(message, r"cannot execute .*c:a on node\d .*has the CPU .*planned.*Another")
        self.run_suite(file)  # the plan asked again

    def test_site_setup_lines_run_before_the_run(self):
        self.sites(SITE + "setup = ['export FROM_SITE=yes']\n")
        self.run_suite(self.case(a=f"echo $FROM_SITE > {self.folder}/a.env; {COPY}", b=COPY))
        self.assertEqual((self.folder / "a.env").read_text(), "yes\n")


if __name__ == "__main__":
    main()
