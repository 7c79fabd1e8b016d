# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""A real Slurm on this machine: munged, slurmctld and a slurmd for each of its nodes, in a temporary folder.

    with Cluster() as cluster:
        cluster.run("sinfo")

Needs root and Debian's slurm-wlm and munge. The daemons are children that die with this process; jobs that outlive
them carry SLURM_CONF of the folder in their environment, by which close() finds and ends them.
"""
import ctypes
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

TOOLS = ["munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "sinfo", "srun"]
SKIPPED = 77  # exit status of a skipped test

CONFIG = """ClusterName=parity
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=1,sched_min_interval=0
KillWait=2
SlurmdTimeout=5
ReturnToService=2
MinJobAge={min_job_age}
MaxJobCount={max_jobs}
JobCompType=jobcomp/none
{accounting}
JobAcctGatherType=jobacct_gather/none
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
{nodes}
PartitionName=main Nodes=ALL Default=YES MaxTime=60 State=UP PriorityTier=1
PartitionName=urgent Nodes=ALL MaxTime=60 State=UP PriorityTier=10
PartitionName=short Nodes=ALL MaxTime=2 State=UP PriorityTier=1
"""


def reason_to_skip():
    """Why no cluster can start here; empty if one can."""
    missing = [tool for tool in TOOLS if find(tool) is None]
    if missing:
        return f"needs Debian's slurm-wlm and munge ({', '.join(missing)} not found)"
    return "" if os.geteuid() == 0 else "needs root, as the daemons of Slurm do"


def find(tool):
    return shutil.which(tool, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")


def skip_unless_possible():
    """Ends this process as a skipped test, loudly, where no cluster can start."""
    if reason := reason_to_skip():
        print(f"SKIPPED: {reason}", file=sys.stderr)
        sys.exit(SKIPPED)


def die_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


class Cluster:
    def __init__(self, nodes=2, cpus=4, min_job_age=300, max_jobs=1000, accounting=None):
        """accounting: lines of slurm.conf; by default the cluster has none, as many sites."""
        self.names = [f"node{i + 1}" for i in range(nodes)]
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="slurm_"))
        self.daemons = {}
        host, ports = socket.gethostname().split(".")[0], free_ports(1 + nodes)
        self.conf = self.folder / "slurm.conf"
        lines = "\n".join(f"NodeName={name} NodeAddr=127.0.0.1 NodeHostname={host} Port={port} CPUs={cpus} RealMemory=1000"
                          for name, port in zip(self.names, ports[1:]))
        self.conf.write_text(CONFIG.format(host=host, ports=ports, folder=self.folder, nodes=lines,
                                           min_job_age=min_job_age, max_jobs=max_jobs,
                                           accounting=(accounting or "AccountingStorageType=accounting_storage/none").replace(
                                               "{folder}", str(self.folder))))
        self.environment = {**os.environ, "SLURM_CONF": str(self.conf)}

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *error):
        self.close()

    def daemon(self, name, tool, *words):
        with open(self.folder / f"{name}.out", "ab") as log:
            self.daemons[name] = subprocess.Popen([find(tool), *map(str, words)], stdout=log, stderr=log,
                                                  env=self.environment, preexec_fn=die_with_parent, cwd="/",
                                                  start_new_session=True)

    def start(self):
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        (self.folder / "state").mkdir()
        self.daemon("munged", "munged", "--foreground", "--force", f"--key-file={key}",
                    f"--socket={self.folder}/munge.socket", f"--pid-file={self.folder}/munged.pid",
                    f"--log-file={self.folder}/munged.log", f"--seed-file={self.folder}/munge.seed")
        self.wait("munged", lambda: (self.folder / "munge.socket").exists())
        self.start_accounting()
        self.start_controller()
        for name in self.names:
            self.start_node(name)
        self.wait("nodes", lambda: self.run("sinfo", "-h", "-o", "%T", check=False).split() and
                  set(self.run("sinfo", "-h", "-o", "%T").split()) == {"idle"})

    def start_accounting(self):
        """Starts what keeps the accounts; nothing here (accounting.py)."""

    def start_controller(self):
        self.daemon("slurmctld", "slurmctld", "-D", "-f", self.conf)

    def start_node(self, name):
        self.daemon(name, "slurmd", "-D", "-N", name, "-f", self.conf)

    def kill(self, name):
        """Kills a daemon. Jobs of a node go on without it."""
        self.daemons[name].kill()
        self.daemons.pop(name).wait()

    def wait(self, what, condition, seconds=40):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                raise AssertionError(f"{what}: not within {seconds} s\n{self.logs()}")
            time.sleep(0.05)

    def run(self, *words, check=True):
        """The output of a command of Slurm."""
        done = subprocess.run(words, capture_output=True, text=True, env=self.environment, timeout=60)
        if check and done.returncode != 0:
            raise AssertionError(f"{' '.join(words)} ended with {done.returncode}: {done.stderr}")
        return done.stdout

    def jobs(self):
        """The jobs that are neither ended nor ending, as (id, name, state)."""
        lines = self.run("squeue", "-h", "-t", "PENDING,RUNNING,CONFIGURING", "-o", "%A %j %T").splitlines()
        return [tuple(line.split()) for line in lines]

    def logs(self):
        return "\n".join(f"== {log.name}\n{log.read_text(errors='replace')[-1500:]}"
                         for log in sorted(self.folder.glob("*.out")))

    def processes(self):
        """Processes of jobs: those whose environment names this cluster's configuration."""
        mark = f"SLURM_CONF={self.conf}".encode()
        own = {os.getpid()} | {daemon.pid for daemon in self.daemons.values()}
        found = []
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if int(folder.name) not in own and mark in (folder / "environ").read_bytes().split(b"\0"):
                    found.append((int(folder.name), (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()))
            except OSError:
                continue
        return found

    def close(self):
        for name in [*self.names, "slurmctld", *reversed([name for name in self.daemons if name not in self.names])]:
            if name in self.daemons:
                self.kill(name)
        for _ in range(20):
            left = self.processes()
            for process, _words in left:
                try:
                    os.kill(process, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            if not left:
                break
            time.sleep(0.05)
        shutil.rmtree(self.folder, ignore_errors=True)
