# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Goldens show that what a case is about acts: an arm whose case sets clip.max_norm was clipped, and stored arms of half of the
cases of layouts and checkpoints clip, and ignore labels.

Usage: clipping_test.py SOURCE_DIR
"""
import json
import pathlib
import sys
import tomllib
import unittest

import h5py

SOURCE = pathlib.Path(sys.argv[1]).resolve()


def flat(table: dict, prefix: str = "") -> dict:
    """Returns nested tables as {"clip.max_norm": value}."""
    out = {}
    for key, value in table.items():
        out |= flat(value, f"{prefix}{key}.") if isinstance(value, dict) else {f"{prefix}{key}": value}
    return out


def stored_arms(topic: str = "*"):
    """Yields the name, the settings of its case, the complete config, and the channels of each stored arm of parity-train."""
    for path in sorted(SOURCE.glob(f"cases/{topic}/*.toml")):
        golden = SOURCE / "golden" / path.parent.name / f"{path.stem}.h5"
        if not golden.exists():
            continue
        case = tomllib.loads(path.read_text())
        with h5py.File(golden) as file:
            for arm in file.get("arms", {}):
                stored = file["arms"][arm]
                if "channels" not in stored or "config" not in stored.attrs or arm not in case.get("arms", {}):
                    continue
                settings = flat(case.get("base", {})) | flat(case["arms"][arm])
                config = flat(json.loads(stored.attrs["config"]))
                channels = {name: values[...] for name, values in stored["channels"].items()}
                yield f"{path.parent.name}/{path.stem}:{arm}", settings, config, channels


def clips(config: dict, channels: dict) -> bool:
    return config.get("clip.max_norm", 0) > 0 and bool((channels["grad_norm"] > config["clip.max_norm"]).any())


def ignores(config: dict, channels: dict) -> bool:
    return bool((channels["valid_tokens"] < config["data.seq_len"] * config["data.global_batch"]).any())


class Clipping(unittest.TestCase):
    def test_arm_with_a_limit_is_clipped(self) -> None:
        asked = 0
        for name, settings, config, channels in stored_arms():
            if settings.get("clip.max_norm", 0) > 0 and "grad_norm" in channels:
                asked += 1
                self.assertEqual(config["clip.max_norm"], settings["clip.max_norm"], name)
                self.assertTrue(clips(config, channels), f"{name}: {settings['clip.max_norm']} is above {channels['grad_norm']}")
        self.assertGreater(asked, 10)

    def test_half_of_the_cases_of_layouts_clip_and_ignore_labels(self) -> None:
        for topic in ("parallel", "checkpoint"):
            acting = {clips: {}, ignores: {}}
            for name, _, config, channels in stored_arms(topic):
                case = name.split(":")[0]
                if {"grad_norm", "valid_tokens"} <= channels.keys() and "clip.max_norm" in config:
                    for acts, cases in acting.items():
                        cases[case] = cases.get(case, False) or acts(config, channels)
            for acts, cases in acting.items():
                self.assertGreater(len(cases), 2, topic)
                self.assertGreaterEqual(sum(cases.values()) / len(cases), 0.5, f"{topic}: {acts.__name__} {cases}")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
