# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""`python -m parity record` on scripts that do not know of parity, and `python -m parity` as the program.

Usage: script_test.py SOURCE_DIR PARITY_PROGRAM RECORDER_LIBRARY
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import textwrap
import unittest

from recorded import SOURCE, WARM, Trace

import h5py
import torch

ENVIRONMENT = {key: value for key, value in os.environ.items() if not key.startswith("PARITY_")} | {
    "PARITY_PROGRAM": str(pathlib.Path(sys.argv[2]).resolve()),
    "PARITY_RECORDER_LIBRARY": str(pathlib.Path(sys.argv[3]).resolve()),
    "PYTHONPATH": str(SOURCE / "harness/python/src"),
    "OMP_NUM_THREADS": "1",
}

TRAINING = """
import sys, torch
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.Tanh(), torch.nn.Linear(16, 1))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: (step + 1) / 10)
losses = []
for step in range(4):
    total = 0.0
    for micro in range(2):
        loss = model(torch.randn(4, 8)).square().mean() / 2
        loss.backward()
        total += loss.item()
    losses.append(total)
    torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)
    optimizer.step(); schedule.step(); optimizer.zero_grad()
    with torch.no_grad():
        model(torch.randn(4, 8))
print(sum(parameter.double().sum().item() for parameter in model.parameters()), *losses, *sys.argv[1:])
"""


class ScriptTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_python(self, *words, python=WARM):
        return subprocess.run([python, *words], cwd=self.folder, env=ENVIRONMENT, capture_output=True,
                              text=True, timeout=120)

    def write(self, text, name="train.py"):
        (self.folder / name).write_text(textwrap.dedent(text))

    def record(self, text, *words, python=WARM):
        self.write(text)
        return self.run_python("-m", "parity", "record", "-o", "run.h5", *words, "--", "train.py", "--flag", python=python)

    def test_a_wrong_capture_is_refused_before_the_training(self):
        self.write("raise SystemExit('trained')")
        (self.folder / "typo.json").write_text('{"tensors": [{"phases": ["gard"]}]}')
        (self.folder / "cut.json").write_text('{"tensors": ')
        for name, reason in (("typo.json", "gard"), ("cut.json", "Expecting value"), ("none.json", "No such file")):
            done = self.run_python("-m", "parity", "record", "--capture", name, "--", "train.py")
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(f"cannot record with the capture {name}", done.stderr)
            self.assertIn(reason, done.stderr)

    def test_an_unchanged_script_gets_channels_of_each_update(self):
        done = self.record(TRAINING)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        words = done.stdout.split()
        with h5py.File(self.folder / "run.h5") as file:
            self.assertEqual(file.attrs["status"], b"complete")
            self.assertEqual(file["steps"][:].tolist(), [1, 2, 3, 4])
            self.assertEqual(sorted(file["channels"]),
                             ["beta1", "beta2", "eps", "grad_norm", "loss", "lr", "param_norm", "weight_decay"])
            self.assertEqual(file["channels/lr"][:].tolist(), [1e-2 * step / 10 for step in (1, 2, 3, 4)])
            for ours, theirs in zip(file["channels/loss"][:], words[1:5], strict=True):
                self.assertAlmostEqual(ours, float(theirs), places=6)
        self.assertEqual(words[5:], ["--flag"])

    def test_what_the_last_update_did_is_in_a_channel(self):
        """No loss follows it. `param_norm` has the same bits on any number of threads."""
        norms = []
        for end in ("", "torch.set_num_threads(3)", "model[0].weight.data[0, 0] *= 2"):
            self.assertEqual(self.record(TRAINING.replace("print(", f"{end}\nprint(")).returncode, 0)
            with h5py.File(self.folder / "run.h5") as file:
                norms.append(file["channels/param_norm"][:].tolist())
        self.assertEqual(norms[0], norms[1])
        self.assertEqual([a == b for a, b in zip(norms[0], norms[2], strict=True)], [True, True, True, False])

    def test_a_closure_that_runs_the_model_first_loses_no_update(self):
        script = """
            import sys, torch
            torch.manual_seed(0)
            model = torch.nn.Linear(8, 1)
            optimizer = torch.optim.{optimizer}(model.parameters(), lr=0.1)
            for step in range(3):
                x, done = torch.randn(4, 8), []
                def closure():
                    optimizer.zero_grad()
                    loss = model(x).square().mean()
                    loss.backward()
                    done.append(loss.item())
                    return loss
                optimizer.step({keyword}closure)
                print(done[-1])
            """
        for optimizer, keyword in (("SGD", ""), ("SGD", "closure="), ("LBFGS", "")):
            done = self.record(script.format(optimizer=optimizer, keyword=keyword))
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            with h5py.File(self.folder / "run.h5") as file:
                self.assertEqual(file["steps"][:].tolist(), [1, 2, 3])
                self.assertEqual(file["channels/loss"][:].tolist(), [float(word) for word in done.stdout.split()])

    def test_a_model_that_is_compiled_in_place_is_recorded(self):
        """`model.compile()` runs a module without its hooks, and the compiler reads those that see every module."""
        losses = []
        for line in ("", 'model.compile(backend="eager")', 'model[1].compile(backend="eager", fullgraph=True)'):
            done = self.record(TRAINING.replace("losses = []", f"{line}\nlosses = []"))
            self.assertEqual(done.returncode, 0, done.stderr)
            with h5py.File(self.folder / "run.h5") as file:
                self.assertEqual(file.attrs["status"], b"complete")
                losses.append(file["channels/loss"][:].tolist())
        self.assertEqual(losses[0], losses[1])
        self.assertEqual(losses[0], losses[2])

    def test_no_bit_of_the_training_changes(self):
        (self.folder / "all.json").write_text('{"tensors": [{}]}')
        recorded = self.record(TRAINING, "--capture", "all.json")
        plain = self.run_python("train.py", "--flag")
        self.assertEqual(recorded.stdout, plain.stdout)
        with h5py.File(self.folder / "run.h5") as file:
            self.assertIn("0.weight", file["tensors/0/param"])
            self.assertIn("0.weight", file["tensors/4/grad"])

    def test_a_checkpointed_block_counts_its_loss_once(self):
        done = self.record("""
            import torch
            from torch.utils.checkpoint import checkpoint
            torch.manual_seed(0)
            model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 1))
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            class Whole(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.model = model
                def forward(self, x):
                    return self.model[1](checkpoint(self.model[0], x, use_reentrant=True))
            whole = Whole()
            for step in range(2):
                optimizer.zero_grad()
                loss = whole(torch.ones(3, 2, requires_grad=True)).square().mean()
                loss.backward()
                optimizer.step()
                print(loss.item())
        """)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        with h5py.File(self.folder / "run.h5") as file:
            self.assertEqual(file["channels/loss"][:].tolist(), [float(word) for word in done.stdout.split()])

    def test_passes_belong_to_their_updates(self):
        (self.folder / "passes.json").write_text('{"tensors": [{"phases": ["forward", "backward", "input"]}]}')
        done = self.record("""
            import torch
            model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 1))
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            for step in range(3):
                for part in range(2):
                    model(torch.full((3, 2), step + part / 2)).square().mean().backward()
                optimizer.step()
                optimizer.zero_grad()
                with torch.no_grad():
                    model(torch.ones(5, 2))
        """, "--capture", "passes.json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        with h5py.File(self.folder / "run.h5") as file:
            for step in range(3):
                tensors = file[f"tensors/{step + 1}"]
                self.assertEqual(tensors["input/input/0"][:, 0].tolist(), [step] * 3 + [step + 0.5] * 3)
                self.assertEqual(sorted(tensors["forward"]), ["0", "1", "model"])
                self.assertEqual(sorted(tensors["backward"]), ["0", "1", "model"])

    def test_keywords_are_recorded_as_positions_are(self):
        """The model gets its batch by keyword, as those of Hugging Face, and returns nested mappings and dataclasses."""
        (self.folder / "all.json").write_text('{"tensors": [{}]}')
        text = """
            import collections, dataclasses, sys, torch
            torch.manual_seed(0)
            class Output(collections.OrderedDict):
                pass
            @dataclasses.dataclass
            class Hidden:
                last: torch.Tensor
                parts: dict
            class Net(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.embed, self.head = torch.nn.Embedding(7, 4), torch.nn.Linear(4, 7)
                def forward(self, input_ids, mask=None, labels=None):
                    hidden = self.embed(input_ids) * mask[..., None]
                    logits = self.head(hidden)
                    loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten())
                    return Output(loss=loss, hidden=Hidden(hidden, {"all": (hidden, [logits])}))
            model = Net()
            optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
            def call(low):
                ids, mask = torch.arange(low, low + 6).view(2, 3) % 7, torch.ones(2, 3)
                return model(CALL)["loss"]
            for step in range(3):
                for micro in range(2):
                    (call(step + 3 * micro) / 2).backward()
                optimizer.step()
                optimizer.zero_grad()
                with torch.no_grad():
                    call(5)
                call(6)
        """
        traces = []
        for number, call in enumerate(("ids, mask, ids", "labels=ids, mask=mask, input_ids=ids")):
            done = self.record(text.replace("CALL", call), "--capture", "all.json", "--extra", "batch_digest")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            (self.folder / "run.h5").rename(self.folder / f"{number}.h5")
            traces.append(Trace(self.folder / f"{number}.h5"))
        positions, keywords = traces
        self.assertEqual(positions.channels, keywords.channels)
        self.assertEqual(len(set(keywords.channels["batch_digest"])), 3)
        self.assertEqual(set(positions.tensors), set(keywords.tensors))
        for key, value in positions.tensors.items():
            self.assertTrue(torch.equal(value, keywords.tensors[key]), key)
        self.assertEqual(keywords.names(1, "input"), {"input_ids", "mask", "labels"})
        self.assertEqual(keywords.tensors[1, "input", "labels"].tolist(), [[0, 1, 2], [3, 4, 5], [3, 4, 5], [6, 0, 1]])
        self.assertEqual(keywords.names(1, "forward"), {"embed", "head", "model.out.loss", "model.out.hidden.last",
                                                        "model.out.hidden.parts.all.0", "model.out.hidden.parts.all.1.0"})

    def test_a_second_model_is_not_left_out_in_silence(self):
        done = self.record("""
            import torch
            first, second = torch.nn.Linear(2, 4), torch.nn.Linear(4, 1)
            optimizers = [torch.optim.Adam(one.parameters()) for one in (first, second)]
            for step in range(2):
                hidden = first(torch.ones(3, 2))
                second(hidden.detach()).sum().backward()
                optimizers[1].step()
                second(hidden).sum().backward()
                optimizers[0].step()
        """)
        self.assertEqual(done.returncode, 0)
        self.assertIn("an optimizer of type Adam trains parameters outside of the first model", done.stderr)
        self.assertFalse((self.folder / "run.h5").exists())

    def test_what_an_optimizer_trains_beside_the_model_is_recorded(self):
        capture = '{"tensors": [{"steps": [0, 1, 2], "phases": ["param", "grad", "optim"], "names": ["*"]}]}'
        (self.folder / "all.json").write_text(capture)
        script = """
            import torch
            torch.manual_seed(0)
            encoder, decoder = torch.nn.Linear(2, 4), torch.nn.Linear(4, 1)
            scale = torch.ones((), requires_grad=True)
            optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters(), scale])
            for step in range(2):
                optimizer.zero_grad()
                (decoder(encoder(torch.ones(3, 2))).sum() * scale).backward()
                if step == 1: decoder.weight.grad *= 3
                optimizer.step()
            print(*decoder.weight.flatten().tolist())
        """
        traces = []
        for text in (script, script.replace("*= 3", "*= 1")):
            done = self.record(text, "--capture", "all.json")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            with h5py.File(self.folder / "run.h5") as file:
                self.assertEqual(file["steps"][:].tolist(), [1, 2])
            place = self.folder / f"{len(traces)}.h5"
            (self.folder / "run.h5").rename(place)
            traces.append(str(place))
        done = self.run_python("-m", "parity", "compare", *traces)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"2 +grad +optimizer\.0\.0\.2 +different")
        # 5 parameters at step 0, and each with gradient and 3 states at 2 steps; the plain tensor is the fifth
        self.assertIn("4 of 55 tensors", done.stdout)

    def test_another_optimizer_for_the_same_model_is_named_as_one(self):
        done = self.record("""
            import torch
            model = torch.nn.Linear(2, 4)
            optimizer = torch.optim.Adam(model.parameters())
            for step in range(3):
                if step == 2: optimizer = torch.optim.SGD(model.parameters(), 0.1)
                optimizer.zero_grad()
                model(torch.ones(3, 2)).sum().backward()
                optimizer.step()
        """)
        self.assertEqual(done.returncode, 0)
        self.assertIn("an optimizer of type SGD that was made after the first update trains the recorded model", done.stderr)
        self.assertFalse((self.folder / "run.h5").exists())

    def test_the_loss_of_a_skipped_step_belongs_to_no_update(self):
        # The channel has the loss without the factor of the scaler.
        done = self.record("""
            import torch
            model = torch.nn.Linear(4, 1)
            optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
            scaler = torch.amp.GradScaler("cpu", init_scale=8.0)
            for step in range(3):
                loss = model(torch.full((2, 4), float("inf") if step == 1 else 1.0)).square().mean()
                optimizer.zero_grad()
                scaled = scaler.scale(loss)
                scaled.backward()
                scaler.step(optimizer)
                scaler.update()
                print(loss.item(), scaler.get_scale())
        """)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        first, _, _, halved, third, _ = (float(word) for word in done.stdout.split())
        self.assertEqual(halved, 4.0)  # the scaler did skip the second step
        with h5py.File(self.folder / "run.h5") as file:
            self.assertEqual(file["channels/loss"][:].tolist(), [first, third])

    def test_a_script_without_training_is_said(self):
        done = self.record("import torch\ntorch.nn.Linear(2, 2)(torch.ones(1, 2))")
        self.assertEqual(done.returncode, 3)
        self.assertIn("no trace was written: no module ran with gradients", done.stderr)
        self.assertFalse((self.folder / "run.h5").exists())

    def test_an_earlier_trace_does_not_stand_for_a_run_without_one(self):
        for script, status, said in (
            ("import torch", 3, "no trace was written"),
            ("print('the checkpoint is there')", 3, "the script did not import torch"),
            ("import sys, torch\nsys.exit(0)", 3, "no trace was written"),
            ("import torch\nraise SystemExit(5)", 5, ""),
            ("import not_there", 1, "ModuleNotFoundError"),
        ):
            with self.subTest(script=script):
                self.assertEqual(self.record(TRAINING).returncode, 0)
                self.assertTrue((self.folder / "run.h5").exists())
                done = self.record(script, python=sys.executable)  # which does not import PyTorch for the script
                self.assertEqual(done.returncode, status, done.stderr)
                self.assertIn(said, done.stderr)
                self.assertEqual(list(self.folder.glob("run*")), [])

    def test_losses_of_one_backward_pass_are_added(self):
        done = self.record(TRAINING.replace("loss.backward()", "torch.autograd.backward([loss / 2, loss / 2])"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        with h5py.File(self.folder / "run.h5") as file:
            for ours, theirs in zip(file["channels/loss"][:], done.stdout.split()[1:5], strict=True):
                self.assertAlmostEqual(ours, float(theirs), places=6)

    def test_a_script_that_fails_leaves_a_partial_trace(self):
        done = self.record(TRAINING.replace("    with torch.no_grad():\n", "    if step == 2: raise ValueError('sorry')\n"
                                            "    with torch.no_grad():\n"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("ValueError: sorry", done.stderr)
        self.assertFalse((self.folder / "run.h5").exists())
        with h5py.File(self.folder / "run.h5.partial") as file:
            self.assertEqual(file["steps"][:].tolist(), [1, 2, 3])

    def test_what_a_script_sets_before_torch_counts(self):
        done = self.record("import sys; print('torch' in sys.modules)\nimport torch", python=sys.executable)
        self.assertEqual(done.stdout, "False\n")

    def test_a_missing_script_is_named(self):
        done = self.run_python("-m", "parity", "record", "--", "trian.py")
        self.assertEqual(done.returncode, 2)
        self.assertIn("cannot find the script trian.py", done.stderr)

    def test_the_norm_of_parameters_is_that_of_whole_ones(self):
        """Under FSDP a rank knows its shard alone, so the channel would differ from that of other layouts."""
        text = """
            import sys, torch
            from torch.distributed.fsdp import fully_shard
            torch.distributed.init_process_group("gloo")
            torch.manual_seed(0)
            model = torch.nn.Linear(8, 1)
            model = torch.nn.parallel.DistributedDataParallel(model) if "ddp" in sys.argv else fully_shard(model)
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            for step in range(2):
                model(torch.ones(4, 8)).sum().backward()
                optimizer.step(); optimizer.zero_grad()
            """
        for layout in ("ddp", "fsdp"):
            self.write(text)
            done = self.run_python("-m", "torch.distributed.run", "--nproc-per-node", "2", "-m", "parity", "record",
                                   "-o", "run.h5", "--", "train.py", layout)
            self.assertEqual(done.returncode, 0, done.stderr)
            with h5py.File(self.folder / "run.h5") as file:
                self.assertEqual(file.attrs["status"], b"complete")
                self.assertEqual("param_norm" in file["channels"], layout == "ddp")

    def test_other_commands_reach_the_program(self):
        done = self.run_python("-m", "parity", "version")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("parity", done.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
