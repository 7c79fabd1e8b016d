# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Call sites of msprobe's PrecisionDebugger and SGLang's dumper that record a trace after one change of an import.

Usage: names_test.py SOURCE_DIR PARITY RECORDER_LIBRARY
"""
import json
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).with_name("frameworks")))

from support import ALL, AdapterTest, Trace, main, parameters_of  # noqa: E402

import torch  # noqa: E402

import parity  # noqa: E402
from parity.msprobe import PrecisionDebugger, capture_of  # noqa: E402
from parity.sglang import Dumper  # noqa: E402

STEPS = 3


def network():
    torch.manual_seed(3)
    return torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 2))


class NamesTest(AdapterTest):
    def tearDown(self):
        if PrecisionDebugger._instance is not None:
            PrecisionDebugger.close()

    def debugged(self, probe=True, rate=0.1, **options):
        """Trains with a debugger. Returns the final parameters."""
        model = network()
        optimizer = torch.optim.SGD(model.parameters(), lr=rate)
        debugger = PrecisionDebugger(**options) if probe else None
        for step in range(STEPS):
            torch.manual_seed(step)
            if debugger:
                debugger.start(model=model)
            hidden = model[:2](torch.randn(16, 4))
            if debugger:
                debugger.save(hidden, "hidden")
                PrecisionDebugger.save([hidden, 2.0], "hidden", save_backward=False)
            optimizer.zero_grad()
            model[2](hidden).square().mean().backward()
            optimizer.step()
            if debugger:
                debugger.stop()
                debugger.save(hidden, "after stop")
                debugger.step()
        if debugger:
            debugger.close()
        return parameters_of(model)

    def test_debugger_records_what_it_saves(self):
        folder = self.path("dumps")
        parameters = self.debugged(task="tensor", dump_path=folder, level="L0")
        trace = Trace(folder + "/trace.h5")
        self.assertEqual(trace.steps, [1, 2, 3])
        self.assertEqual(trace.channels, {"lr": [0.1] * 3, "momentum": [0.0] * 3, "weight_decay": [0.0] * 3,
                                          "dumps": [4] * 3})
        self.assertEqual(set(trace.phase(1, "forward")) & {"hidden", "hidden.0", "hidden.1", "after stop"},
                         {"hidden", "hidden.0", "hidden.1"})
        self.assertEqual(trace.tensors[2, "backward", "hidden"].shape, (16, 8))
        self.assertEqual(set(trace.phase(2, "grad")), {"0.weight", "0.bias", "2.weight", "2.bias"})
        self.assert_same_bits(self.debugged(probe=False), parameters)

    def test_config_of_msprobe_is_a_capture(self):
        config = {"task": "statistics", "level": "mix", "step": [0, "2-3"], "rank": [1]}
        self.assertEqual(capture_of(config, 1), {"sketches": [{"steps": [1, 3, 4]}], "operators": [{"steps": [1, 3, 4]}]})
        self.assertEqual(capture_of(config, 0), {})
        self.assertEqual(capture_of({"task": "tensor", "level": "debug"}),
                         {"tensors": [{"phases": ["forward", "backward"]}]})
        with self.assertRaisesRegex(parity.Error, "cannot do the task run_ut of msprobe"):
            capture_of({"task": "run_ut"})

    def test_debugger_reads_its_config(self):
        place = self.path("config.json")
        pathlib.Path(place).write_text(json.dumps({"task": "tensor", "dump_path": self.path("dumps"), "step": [1],
                                                   "rank": [], "level": "debug"}))
        self.debugged(config_path=place)
        trace = Trace(self.path("dumps/trace.h5"))
        self.assertEqual({step for step, _, _ in trace.tensors}, {2})
        self.assertEqual({phase for _, phase, _ in trace.tensors}, {"forward", "backward"})

    def test_debugger_needs_a_path(self):
        self.debugged()
        with self.assertRaisesRegex(parity.Error, "no PrecisionDebugger yet"):
            PrecisionDebugger.stop()

    def test_planted_rate_is_reported_at_its_step(self):
        self.debugged(task="tensor", dump_path=self.path("right"), level="debug")
        self.debugged(task="tensor", dump_path=self.path("wrong"), level="debug", rate=0.2)
        self.assertEqual(self.different(self.path("right/trace.h5"), self.path("wrong/trace.h5")), {"lr": 1})

    def dumped(self, dumper, scale=1.0):
        """Calls the dumper as model code does."""
        for step in range(STEPS):
            value = torch.arange(6.0).reshape(2, 3).requires_grad_()

            @dumper.ctx(lambda layer: {"layer_id": layer})
            def forward(layer, value=value):
                dumper.dump("out", value * scale, dims="t h[tp]")
                dumper.dump("out", lambda: value + 1, part="late")
                return value

            (forward(3) * 2).sum().backward()
            dumper.dump_dict("batch", {"size": 2, "what": "text"})
            dumper.dump("unsaved", value, save=False)
            dumper.set_ctx(step_of_loop=step)
            dumper.dump("value", value.detach())
            dumper.dump("value", value.detach())
            dumper.set_ctx(step_of_loop=None)
            dumper.dump_model(torch.nn.ParameterDict({"w": torch.nn.Parameter(torch.ones(2))}))
            dumper.configure(enable=False)
            dumper.dump("disabled", value)
            dumper.configure(enable=True)
            dumper.step()

    def test_dumper_records_what_is_dumped(self):
        dumper = Dumper()
        dumper.start(path=self.path("run.h5"), capture=ALL)
        self.dumped(dumper)
        dumper.close()
        trace = Trace(self.path("run.h5"))
        self.assertEqual((trace.steps, trace.channels), ([1, 2, 3], {"dumps": [6] * 3}))
        self.assertEqual(set(trace.phase(2, "forward")), {
            "out.layer_id=3", "out.part=late.layer_id=3", "batch_size", "value.step_of_loop=1",
            "value.step_of_loop=1.1", "param__w"})
        self.assertEqual(trace.tensors[2, "forward", "out.layer_id=3"].tolist(), [[0, 1, 2], [3, 4, 5]])

    def test_dumped_gradient_is_recorded(self):
        dumper = Dumper()
        dumper.start(path=self.path("run.h5"), capture=ALL)
        value = torch.ones(2, requires_grad=True)
        dumper.dump("value", value)
        (value * torch.tensor([2.0, 3.0])).sum().backward()
        dumper.step()
        dumper.close()
        self.assertEqual(Trace(self.path("run.h5")).tensors[1, "backward", "value"].tolist(), [2, 3])

    def test_dumper_does_nothing_without_a_path(self):
        dumper = Dumper()
        self.assertFalse(dumper.may_enable)
        self.dumped(dumper)
        os.environ["PARITY_TRACE"] = self.path("run.h5")
        self.addCleanup(os.environ.pop, "PARITY_TRACE")
        self.assertTrue(Dumper().may_enable)


if __name__ == "__main__":
    main()
