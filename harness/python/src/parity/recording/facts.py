# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Config and provenance of a run as JSON text."""

from __future__ import annotations

import dataclasses
import json
import math
import os
import platform
import sys
from collections.abc import Mapping, Sequence
from typing import Any

#: Packages whose versions are facts of a run, if it has loaded them.
VERSIONED = (
    *("torch", "numpy", "transformers", "trl", "peft", "accelerate", "lightning", "deepspeed", "torchtitan"),
    *("torchtune", "datasets", "megatron.core", "flash_attn", "liger_kernel", "triton", "jax", "flax", "optax"),
)


def config_text(config: Any) -> str:
    """A mapping, a dataclass or anything with attributes as a JSON object; None: the file of PARITY_CONFIG, if any."""
    if config is None:
        place = os.environ.get("PARITY_CONFIG")
        if not place:
            return "{}"
        with open(place, encoding="utf-8") as file:
            return file.read()
    if dataclasses.is_dataclass(config) and not isinstance(config, type):
        config = dataclasses.asdict(config)
    elif not isinstance(config, Mapping):
        config = vars(config)
    return json.dumps(as_json(config), sort_keys=True)


def as_json(value: Any) -> Any:
    """`value` without what JSON cannot hold: other objects become the names of their types, which never change."""
    if isinstance(value, Mapping):
        return {str(key): as_json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [as_json(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if type(value).__name__ in ("dtype", "device"):
        return str(value)
    return type(value).__name__


def provenance_text(recorder_version: str, compiled: Sequence[str] = (), wants_modules: bool = False) -> str:
    """Versions of what computed the run, without host, user or path.

    compiled: names of the modules that torch.compile runs.
    wants_modules: whether the capture asks for tensors that such modules do not show."""
    facts: dict[str, Any] = {"trainer": "python", "recorder": recorder_version, "python": platform.python_version()}
    for name in VERSIONED:
        module = sys.modules.get(name)
        if (version := getattr(module, "__version__", None)) is not None:
            facts[name] = str(version)
    facts["fingerprint"] = {key: facts[key] for key in VERSIONED if key in facts} | _arithmetic()
    if compiled:
        facts["compiled_modules"] = list(compiled)
        if wants_modules:
            facts["warnings"] = [f"torch.compile runs {', '.join(compiled)}: what is inside of them is not recorded"]
    return json.dumps(facts)


def _arithmetic() -> dict[str, Any]:
    """What decides how this process rounds, beside the versions: the processor, PyTorch's kernels, threads."""
    facts: dict[str, Any] = {"cpu_vendor": _cpu_vendor()}
    torch = sys.modules.get("torch")
    if torch is not None:
        facts["threads"] = torch.get_num_threads()
        if hasattr(torch.backends, "cpu"):  # since PyTorch 2.1
            facts["aten_capability"] = torch.backends.cpu.get_cpu_capability()
    return facts


def _cpu_vendor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            vendors = (line.split(":", 1)[1].strip() for line in file if line.startswith("vendor_id"))
            return next(vendors, platform.machine())
    except OSError:
        return platform.machine()
