# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""A site that keeps accounts: a real slurmdbd on a MariaDB of its own, and the sacct that asks it.

Usage: accounting_test.py SOURCE_DIR PARITY [TEST...]     skipped without Debian's slurmdbd and mariadb-server
"""
import os
import signal
import subprocess
import sys

from cluster import SKIPPED, Cluster, find, free_ports
from suite import COPY, SlurmTest, main

NEEDED = ["slurmdbd", "mariadbd", "mariadb-install-db", "mariadb", "sacct"]
DAEMON = """AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
DbdHost=localhost
DbdPort={port}
SlurmUser=root
PidFile={folder}/slurmdbd.pid
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort={sql}
StorageUser=slurm
StoragePass=slurm
StorageLoc=accounts
"""


class AccountedCluster(Cluster):
    """A cluster whose jobs are written to a database."""

    def __init__(self, **options):
        self.port, self.sql = free_ports(2)
        super().__init__(**options, accounting="AccountingStorageType=accounting_storage/slurmdbd\n"
                         f"AccountingStorageHost=localhost\nAccountingStoragePort={self.port}\n"
                         "AccountingStoragePass={folder}/munge.socket")

    def start_accounting(self):
        data = self.folder / "sql"
        subprocess.run([find("mariadb-install-db"), "--no-defaults", f"--datadir={data}", "--user=root", "--skip-test-db",
                        "--auth-root-authentication-method=normal"], check=True, capture_output=True)
        self.daemon("mariadbd", "mariadbd", "--no-defaults", f"--datadir={data}", "--user=root", "--bind-address=127.0.0.1",
                    f"--port={self.sql}", f"--socket={self.folder}/sql.socket", f"--pid-file={self.folder}/sql.pid",
                    "--innodb-flush-log-at-trx-commit=0")
        account = "CREATE USER slurm@localhost IDENTIFIED BY 'slurm'; GRANT ALL ON accounts.* TO slurm@localhost;"
        client = [find("mariadb"), "--no-defaults", f"--socket={self.folder}/sql.socket", "-u", "root", "-e"]
        self.wait("mariadbd", lambda: subprocess.run([*client, "SELECT 1"], capture_output=True, check=False).returncode == 0, 60)
        subprocess.run([*client, account], check=True)
        conf = self.folder / "slurmdbd.conf"  # beside slurm.conf
        conf.write_text(DAEMON.format(folder=self.folder, port=self.port, sql=self.sql))
        conf.chmod(0o600)
        self.daemon("slurmdbd", "slurmdbd", "-D")
        self.wait("slurmdbd", lambda: subprocess.run(["sacctmgr", "-n", "list", "cluster"], env=self.environment, capture_output=True,
                                                     check=False).returncode == 0, 60)
        self.run("sacctmgr", "-i", "add", "cluster", "parity", check=False)


class AccountingTest(SlurmTest):
    cluster_options = {"min_job_age": 2}

    @classmethod
    def setUpClass(cls):
        cls.cluster = AccountedCluster(**cls.cluster_options).__enter__()
        cls.addClassCleanup(cls.cluster.close)

    def accounts(self):
        return self.cluster.run("sacct", "-X", "-P", "-n", "-o", "JobName,State", check=False)

    def test_sacct_knows_what_the_scheduler_forgot(self):
        """A job that leaves no result, whose parity is killed: only the accounts say later how it ended."""
        file = self.case(a=f"echo $PPID >> {self.folder}/begun; while :; do sleep 0.2; done", b=COPY)
        process = self.start(file)
        self.wait_for_file("begun")
        process.kill()
        process.communicate()
        os.kill(int((self.folder / "begun").read_text().split()[0]), signal.SIGKILL)
        self.wait_for(lambda: not self.cluster.run("squeue", "-h", "-t", "all"), "the scheduler forgets the jobs", 90)
        self.wait_for(lambda: "FAILED" in self.accounts(), "the accounts have the job")
        self.run_suite(file, status=4)
        kind, message = self.failure("a")
        self.assertEqual(kind, "crashed")
        self.assertRegex(message, r"job \d+ of c:a failed on node\d \(exit status 137\)")

    def test_a_suite_with_accounts_passes(self):
        self.run_suite(self.case(a=COPY, b=COPY))
        self.wait_for(lambda: self.accounts().count("COMPLETED") >= 2, "the accounts have both jobs")


if __name__ == "__main__":
    if missing := [tool for tool in NEEDED if find(tool) is None]:
        print(f"SKIPPED: needs Debian's slurmdbd and mariadb-server ({', '.join(missing)} not found)", file=sys.stderr)
        sys.exit(SKIPPED)
    main()
