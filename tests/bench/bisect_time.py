# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Time from a red curve to its cause, for a difference at update 90 of 100, against one full run of both sides.

Usage: bisect_time.py BIN/parity [ROUNDS]

Two configs whose learning rates diverge where the decay begins. The first stage of `parity bisect` runs both sides
completely, which a user with a red curve has already done; the rest is the search. Each round has its own folder.
METRICS: less than 1.5.
"""
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

CONFIG = """model = "llama3.debug"
steps = 100
[data]
seq_len = 128
global_batch = 4
[lr]
schedule = "titan"
warmup_steps = 2
decay_ratio = 0.11
decay = "%s"
"""


def search(parity, folder):
    """(seconds of the whole runs, seconds of the search, the record)"""
    for name, decay in (("good", "linear"), ("bad", "sqrt")):
        (folder / f"{name}.toml").write_text(CONFIG % decay)
    result = subprocess.run([parity, "bisect", folder / "good.toml", folder / "bad.toml", "--out", folder / "out", "--json"],
                            capture_output=True, text=True)
    if result.returncode != 1:
        sys.exit(f"exit status {result.returncode}: {result.stderr}")
    record = json.loads(result.stdout)
    seconds = {stage["name"]: stage["seconds"] for stage in record["stages"]}
    whole = seconds.pop("curve")
    return whole, sum(seconds.values()), record


def main():
    parity, rounds = pathlib.Path(sys.argv[1]).resolve(), int(sys.argv[2]) if len(sys.argv) > 2 else 3
    ratios = []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as folder:
            whole, rest, record = search(parity, pathlib.Path(folder))
        step = next(stage["details"]["step"] for stage in record["stages"] if stage["name"] == "tensor")
        ratios.append(rest / whole)
        print(f"step {step} of 100: whole runs {whole:.1f} s, search {rest:.1f} s, ratio {ratios[-1]:.2f}, "
              f"{record['runs']['executed']} runs", flush=True)
    print(f"median ratio {statistics.median(ratios):.2f} (less than 1.5 is asked)")
    sys.exit(statistics.median(ratios) >= 1.5)


main()
