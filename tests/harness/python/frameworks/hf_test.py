# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""parity.hf.Callback in a Trainer of transformers: its loss, rate, norm and gradients, accumulation, evaluation,
resuming, and planted differences.

Usage: hf_test.py SOURCE_DIR PARITY RECORDER_LIBRARY
"""
import json
import pathlib
import warnings

from support import ALL, SOURCE, AdapterTest, Trace, main, parameters_of, run_in_a_process, run_ranks

import torch
import transformers

import parity.hf

STEPS, LIMIT = 5, 0.05


def model():
    torch.manual_seed(3)
    config = transformers.LlamaConfig(vocab_size=32, hidden_size=16, intermediate_size=32, num_hidden_layers=2,
                                      num_attention_heads=2, num_key_value_heads=1, max_position_embeddings=16)
    return transformers.LlamaForCausalLM(config)


def data(rows=40):
    tokens = torch.randint(0, 32, (rows, 8), generator=torch.Generator().manual_seed(1))
    return [{"input_ids": row, "labels": row} for row in tokens]


class Watch(transformers.TrainerCallback):
    """What the Trainer itself shows: its log, and norms of the gradients when it calls on_pre_optimizer_step."""

    def __init__(self):
        self.logs, self.norms = [], []

    def on_log(self, args, state, control, logs=None, **given):
        self.logs.append(dict(logs))

    def on_pre_optimizer_step(self, args, state, control, model=None, **given):
        squares = [one.grad.double().square().sum() for one in model.parameters()]
        self.norms.append(sum(squares).sqrt().item())


class HfTest(AdapterTest):
    def train(self, *callbacks, resume=None, make=transformers.Trainer, **changes):
        """Trains. Returns (final parameters, what a Watch saw)."""
        given = {"output_dir": self.path("out"), "max_steps": STEPS, "per_device_train_batch_size": 4,
                 "learning_rate": 1e-2, "warmup_steps": 2, "lr_scheduler_type": "linear", "max_grad_norm": LIMIT,
                 "logging_steps": 1, "save_strategy": "no", "report_to": [], "use_cpu": True, "seed": 5,
                 "disable_tqdm": True} | changes
        watch = Watch()
        trainer = make(model=model(), args=transformers.TrainingArguments(**given), train_dataset=data(),
                       eval_dataset=data(4), callbacks=[watch, *callbacks])
        trainer.remove_callback(transformers.PrinterCallback)
        trainer.train(resume_from_checkpoint=resume)
        return parameters_of(trainer.model), watch

    def recorded(self, name, **changes):
        """Trains with a recorder. Returns (trace, final parameters, watch)."""
        parameters, watch = self.train(parity.hf.Callback(path=self.path(name), capture=ALL), **changes)
        return Trace(self.path(name)), parameters, watch

    def test_trace_has_what_the_trainer_used(self):
        trace, parameters, watch = self.recorded("run.h5")
        logs = [log for log in watch.logs if "loss" in log]
        self.assertEqual(trace.steps, list(range(1, STEPS + 1)))
        self.assertEqual(trace.channels["loss"], [log["loss"] for log in logs])
        self.assertEqual(trace.channels["lr"], [log["learning_rate"] for log in logs])
        self.assertEqual(trace.channels["grad_norm"], [log["grad_norm"] for log in logs])
        self.assert_clipped(trace, LIMIT)
        final = trace.phase(STEPS, "param")
        for (name, _), values in zip(model().named_parameters(), parameters, strict=True):
            self.assertTrue(torch.equal(final[name], values), name)

    def test_bits_do_not_change(self):
        plain, _ = self.train()
        self.assert_same_bits(plain, self.recorded("run.h5")[1])

    def test_pre_optimizer_step_comes_too_late(self):
        trace, _, watch = self.recorded("run.h5")
        for step, norm in zip(trace.steps, watch.norms, strict=True):
            self.assertAlmostEqual(norm, trace.norm(step, "grad_clipped"), places=6)
            self.assertGreater(trace.norm(step, "grad"), 2 * norm)

    def test_accumulated_losses_are_those_of_the_update(self):
        trace, _, watch = self.recorded("run.h5", gradient_accumulation_steps=3, per_device_train_batch_size=2)
        self.assertEqual(trace.steps, list(range(1, STEPS + 1)))
        self.assertEqual(trace.channels["loss"], [log["loss"] for log in watch.logs if "loss" in log])
        self.assert_clipped(trace, LIMIT)

    def test_losses_do_not_depend_on_logging_and_evaluation(self):
        often, parameters, _ = self.recorded("often.h5")
        rare, others, watch = self.recorded("rare.h5", logging_steps=3, eval_strategy="steps", eval_steps=2)
        self.assertTrue(any("eval_loss" in log for log in watch.logs))
        self.assertEqual(often.channels, rare.channels)
        self.assert_same_bits(parameters, others)
        self.assertEqual(self.different(self.path("often.h5"), self.path("rare.h5")), {})

    def test_nan_is_recorded_although_the_log_hides_it(self):
        class Broken(transformers.Trainer):
            def training_step(self, *arguments, **options):
                loss = super().training_step(*arguments, **options)
                return loss * float("nan") if self.state.global_step == 2 else loss

        trace, _, watch = self.recorded("run.h5", make=Broken)
        self.assertEqual([loss != loss for loss in trace.channels["loss"]], [False, False, True, False, False])
        self.assertFalse(any(log["loss"] != log["loss"] for log in watch.logs if "loss" in log))

    def test_resumed_run_goes_on_with_its_steps(self):
        self.recorded("whole.h5", save_strategy="steps", save_steps=3, logging_steps=1)
        trace, _, _ = self.recorded("resumed.h5", resume=self.path("out/checkpoint-3"))
        whole = Trace(self.path("whole.h5"))
        self.assertEqual(trace.steps, [4, 5])
        self.assertEqual(trace.phase(0, "param"), {})
        for name, values in whole.channels.items():
            self.assertEqual(values[3:], trace.channels[name])

    def test_channels_of_the_script_are_recorded(self):
        seen = []
        callback = parity.hf.Callback(path=self.path("run.h5"), channels=lambda: {"reward_mean": seen.append(0) or len(seen)})
        self.train(callback)
        self.assertEqual(Trace(self.path("run.h5")).channels["reward_mean"], [1, 2, 3, 4, 5])

    def test_twin_over_ranks_reduces_gradients(self):
        """Two ranks of the case's script are one process far closer than float32 could be."""
        script = SOURCE / "cases/frameworks/transformers/train.py"
        for name, ranks, batch in (("one", 1, 8), ("two", 2, 4)):
            pathlib.Path(self.path(f"{name}.json")).write_text(json.dumps({"steps": 3, "batch": batch}))
            run_ranks(ranks, script, self.path(f"{name}.json"), PARITY_TRACE=self.path(f"{name}.h5"), PARITY_DTYPE="float64")
        one, two = (Trace(self.path(f"{name}.h5")).channels["grad_norm"] for name in ("one", "two"))
        for expected, found in zip(one, two, strict=True):
            self.assertAlmostEqual(found, expected, delta=1e-13 * expected)

    def test_planted_schedule_is_reported_at_its_step(self):
        self.recorded("right.h5")
        self.recorded("late.h5", warmup_steps=3)
        found = self.different(self.path("right.h5"), self.path("late.h5"))
        self.assertEqual((found["lr"], found["loss"]), (2, 3))

    def test_planted_accumulation_is_reported_at_its_step(self):
        class Undivided(transformers.Trainer):
            """Does not divide the gradients of update 3 by two, the number of micro-batches."""

            def training_step(self, *arguments, **options):
                loss = super().training_step(*arguments, **options)
                if self.state.global_step == 2 and self.accelerator.sync_gradients:
                    for one in self.model.parameters():
                        one.grad *= 2
                return loss

        options = {"gradient_accumulation_steps": 2, "per_device_train_batch_size": 2, "max_grad_norm": 1e9}
        self.recorded("right.h5", **options)
        self.recorded("wrong.h5", make=Undivided, **options)
        found = self.different(self.path("right.h5"), self.path("wrong.h5"))
        self.assertEqual((found["grad_norm"], found["loss"]), (3, 4))

    def test_the_twin_trains_in_float64(self):
        config = self.folder / "config.json"
        config.write_text('{"steps": 3}')
        capture = self.folder / "capture.json"
        capture.write_text('{"tensors": [{"phases": ["param"]}]}')
        script = SOURCE / "cases/frameworks/transformers/train.py"
        for name, variables in (("narrow.h5", {}), ("wide.h5", {"PARITY_DTYPE": "float64"})):
            run_in_a_process(str(script), str(config), PARITY_TRACE=self.path(name), PARITY_CAPTURE=str(capture), **variables)
        narrow, wide = Trace(self.path("narrow.h5")), Trace(self.path("wide.h5"))
        self.assertEqual(wide.phase(3, "param")["lm_head.weight"].dtype, torch.float64)
        for one, other in zip(narrow.channels["loss"], wide.channels["loss"], strict=True):
            self.assertNotEqual(one, other)
            self.assertAlmostEqual(one, other, delta=1e-5)

    def test_second_call_of_train_is_not_recorded(self):
        callback = parity.hf.Callback(path=self.path("run.h5"))
        self.train(callback)
        first = Trace(self.path("run.h5")).channels
        with self.assertWarnsRegex(RuntimeWarning, "has recorded one"):
            self.train(callback, learning_rate=1.0)
        self.assertEqual(Trace(self.path("run.h5")).channels, first)

    def test_nothing_is_recorded_without_a_path(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)
            self.train(parity.hf.Callback())
        self.assertEqual(list(self.folder.glob("*.h5*")), [])


if __name__ == "__main__":
    main()
