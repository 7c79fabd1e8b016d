# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""What is tried on a GPU. A stage returns figures, or raises StageError with the sentence of what it found."""
from __future__ import annotations

import json
import pathlib
import re
import shutil

from gpu_site import NoDevice, Site, StageError

GPU = pathlib.Path(__file__).resolve().parent


def last_lines(output, count=6):
    return " | ".join(line.strip() for line in output.strip().splitlines()[-count:])


def device(site: Site):
    """Is there a GPU that this build's plug-in can use?"""
    config = site.out / "device.toml"
    config.write_text('model = "llama3.debug"\nsteps = 1\ndevice = "cuda"\narchitecture.dim = 64\n'
                      "architecture.n_layers = 1\narchitecture.n_heads = 4\narchitecture.ffn_hidden = 64\ndata.global_batch = 1\n")
    status, output = site.run([site.build / "bin/parity-train", config, "--trace", site.out / "device.h5"], "device", 120)
    if status == 3:
        raise NoDevice(last_lines(output, 2))
    if status != 0:
        raise StageError(f"parity-train ended with {status}: {last_lines(output)}")
    status, smi = site.run(["nvidia-smi", "--query-gpu=name,driver_version,memory.total", "--format=csv,noheader"], "nvidia-smi", 60)
    return {"gpus": smi.strip().splitlines() if status == 0 else [], "torch": site.torch.get("version", "none")}


def tests(site: Site):
    """The tests that need a GPU: kernels against the CPU's bits, NCCL, deterministic settings, the trainer."""
    results = site.out / "tests.json"
    status, output = site.run([site.build / "tests/reference_gpu_test", f"--gtest_output=json:{results}"], "tests", 400)
    if not results.exists():
        raise StageError(f"the tests ended with {status}: {last_lines(output)}")
    rows = [row for suite in json.loads(results.read_text())["testsuites"] for row in suite["testsuite"]]
    failed = [row["name"] for row in rows if row.get("failures")]
    skipped = [row["name"] for row in rows if row["result"] == "SKIPPED"]
    few = set(re.findall(r"needs 2 GPUs", output))
    if status != 0 or failed:
        raise StageError(f"{len(failed)} of {len(rows)} tests fail: {', '.join(failed)}")
    # With a GPU, only tests of two GPUs and of machines without one may be skipped.
    if len(skipped) > 3 or (skipped and not few):
        raise StageError(f"tests were skipped: {', '.join(skipped)}")
    return {"passed": len(rows) - len(skipped), "skipped": skipped,
            "slowest": max((float(row["time"].rstrip("s")), row["name"]) for row in rows)}


def suite(site: Site):
    """The suite's cases of GPUs."""
    out = site.out / "suite"
    status, output = site.run(site.parity("run", "--tag", "gpu", "--cases", site.source / "cases", "--out", out, "--keep-traces"), "suite", 400)
    file = out / "results.json"
    if not file.exists():
        raise StageError(f"parity ended with {status}: {last_lines(output)}")
    cases = json.loads(file.read_text())["cases"]
    verdicts = {case["name"]: case["verdict"] for case in cases}
    if status != 0 or any(verdict != "passed" for verdict in verdicts.values()):
        raise StageError(f"parity ended with {status}, {verdicts}: {last_lines(output)}")
    return verdicts


def repeats(site: Site):
    """A training on the GPU has the same bits again, also under load."""
    status, output = site.run(site.parity("repeat", "device/cuda_against_cpu:cuda", "--cases", site.source / "cases", "--times", 6,
                                          "--stress", "--out", site.out / "repeat"), "repeats", 200)
    if status != 0:
        raise StageError(f"parity repeat ended with {status}: {last_lines(output)}")
    return {"last line": last_lines(output, 1)}


def bisect(site: Site):
    """Another routing on the GPU is traced to the router."""
    status, output = site.run(site.parity("bisect", "device/cuda_deepseek_v3:cuda", "groups", "--cases", site.source / "cases",
                                          "--out", site.out / "suite"), "bisect", 120)
    if status != 1 or "router" not in output:
        raise StageError(f"parity bisect ended with {status}: {last_lines(output)}")
    return {"found": next(line.strip() for line in output.splitlines() if "router" in line)}


def atomics(site: Site):
    """Negative control: sums by atomics on the GPU differ from run to run, and parity repeat must see it."""
    if not site.torch.get("gpus"):
        raise StageError("this interpreter's PyTorch sees no GPU")
    status, output = site.run(site.parity("repeat", "--times", 2, "--out", site.out / "atomics", "--", site.python,
                                          GPU / "atomics.py"), "atomics", 200)
    if status != 1:
        raise StageError(f"parity repeat ended with {status}, not 1: {last_lines(output)}")
    return {"last lines": last_lines(output, 3)}


def bandwidth(site: Site):
    """The measuring kernels, as shares of what the memory moves."""
    status, output = site.run([site.build / "tests/device_measure_bench", site.build / "bin/libparity-cuda.so", 1 << 30, 3], "bandwidth", 200)
    if status != 0:
        raise StageError(f"device_measure_bench ended with {status}: {last_lines(output)}")
    found = json.loads(output)
    rate = {name: row["gigabytes_per_second"] for name, row in found.items()}
    best = max(rate["copy float32"], rate["read float32"])
    return {"GB/s": {name: round(value, 1) for name, value in rate.items()},
            "share of the memory": {name: round(value / best, 3) for name, value in rate.items()}}


def capture(site: Site):
    """What recording costs in a step of a model with 0.1 billion parameters."""
    shape = {"device": "cuda", "architecture.dim": 1024, "architecture.n_layers": 6, "architecture.n_heads": 16, "architecture.n_kv_heads": 8,
             "architecture.ffn_hidden": 4096, "architecture.vocab_size": 4096, "data.seq_len": 1024, "data.global_batch": 8}
    settings = [word for key, value in shape.items() for word in ("--set", f"{key}={json.dumps(value)}")]
    status, output = site.run([site.python, site.source / "tests/bench/capture_cost.py", site.build, "--rounds", 3, "--steps", 8,
                               "--without", "tensors", *settings], "capture", 200)
    lines = [line for line in output.splitlines() if " s a step, " in line]
    if not lines:
        raise StageError(f"capture_cost.py ended with {status}: {last_lines(output)}")
    return {line.split()[0]: line for line in lines}


def recorder(site: Site):
    """A training in PyTorch on the GPU, recorded by two lines, against the same on the CPU.

    `host`: tensors go to the host to be measured. Their rows must have the bits of those that the GPU measures."""
    traces = {place: site.out / f"recorder_{place}.h5" for place in ("cpu", "cuda", "again", "host")}
    figures = {}
    for place, trace in traces.items():
        words = [site.python, GPU / "train.py", "cpu" if place == "cpu" else "cuda", trace, *(["short"] if place in ("again", "host") else [])]
        status, output = site.run(words, f"recorder_{place}", 120, PARITY_DEVICE_LIBRARY="none" if place == "host" else "")
        if status != 0:
            raise StageError(f"train.py on {place} ended with {status}: {last_lines(output)}")
        figures[place] = last_lines(output, 4)
        if ("go to the host" in output) != (place == "host"):
            raise StageError(f"tensors were measured elsewhere than asked: {last_lines(output)}")
    for place in ("again", "host"):
        status, output = site.run(site.parity("compare", traces["cuda"], traces[place]), f"recorder_{place}_same", 60)
        if status != 0:
            raise StageError(f"the same training on the GPU differs ({place}): {last_lines(output)}")
    status, output = site.run(site.parity("compare", traces["cpu"], traces["cuda"]), "recorder_compared", 60)
    if status not in (0, 1):
        raise StageError(f"parity compare ended with {status}: {last_lines(output)}")
    status, output = site.run(site.parity("audit", traces["cuda"]), "recorder_audit", 60)
    if status != 0:
        raise StageError(f"parity audit of the GPU's run ended with {status}: {last_lines(output)}")
    return figures


def trainings(site: Site):
    """Trainings as users write them for a GPU: the laws hold for each, and name each planted defect."""
    status, output = site.run([site.python, "-W", "ignore", GPU / "trainings.py", site.build / "bin/parity", site.out / "trainings"], "trainings", 200)
    rows = json.loads(last_lines(output, 1)) if output.rstrip().endswith("}") else {}
    wrong = [f"{name}: {row['said'] or row['holds']}" for name, row in rows.items() if not row["good"]]
    if status != 0 or not rows:
        raise StageError(f"trainings.py ended with {status}: {'; '.join(wrong) or last_lines(output)}")
    return {name: row["said"] or ", ".join(row["holds"]) for name, row in rows.items()}


def graphs(site: Site):
    """A training in a CUDA graph: its state is recorded, and recording spoils no graph."""
    status, output = site.run([site.python, GPU / "graphs.py", site.build / "bin/parity", site.out / "graphs"], "graphs", 120)
    found = json.loads(last_lines(output, 1)) if status == 0 else {}
    if not found or not all(found.values()):
        raise StageError(f"graphs.py ended with {status}: {[name for name, holds in found.items() if not holds] or last_lines(output)}")
    return found


def operator_cases(site: Site):
    """A copy of the cases that names this machine's environment with PyTorch."""
    folder = site.out / "cases"
    if not folder.exists():
        shutil.copytree(GPU / "cases", folder)
        for file in folder.glob("*.toml"):
            file.write_text(file.read_text().replace('venv = "venv"', f"venv = {json.dumps(site.torch['prefix'])}"))
    return folder


def operators(site: Site):
    """Operators on the GPU against the CPU's, and what TF32 and fused attention cost."""
    out = site.out / "operators"
    status, output = site.run(site.parity("run", "--cases", operator_cases(site), "--out", out), "operators", 200)
    file = out / "results.json"
    if not file.exists():
        raise StageError(f"parity ended with {status}: {last_lines(output)}")
    cases = json.loads(file.read_text())["cases"]
    verdicts = {case["name"]: case["verdict"] for case in cases}
    if status != 0:
        raise StageError(f"parity ended with {status}, {verdicts}: {last_lines(output)}")
    return verdicts


def orders(site: Site):
    """In which order the GPU's sums and products add."""
    figures = {}
    for case, over, size in (("sum", "k", 256), ("product", "k", 64)):
        status, output = site.run(site.parity("reveal", f"{case}:cuda", "--cases", operator_cases(site), "--out", site.out / "operators",
                                              "--over", over, "--at", f"{over}={size}"), f"reveal_{case}", 120)
        if status not in (0, 1, 3):
            raise StageError(f"parity reveal {case} ended with {status}: {last_lines(output)}")
        figures[case] = last_lines(output, 4)
    return figures


STAGES = (device, bandwidth, recorder, trainings, graphs, operators, orders, suite, bisect, atomics, capture, repeats, tests)
