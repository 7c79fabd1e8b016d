# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""`parity compare` and `parity import` on logs that TensorBoard, PyTorch and W&B wrote.

Usage: logs_test.py SOURCE_DIR PARITY RECORDER_LIBRARY
"""
import contextlib
import os
import pathlib
import subprocess
import sys

from support import PARITY, AdapterTest, json, main

import numpy
import pyarrow
import pyarrow.parquet
import torch
import transformers
import wandb
from tensorboard.backend.event_processing.event_accumulator import STORE_EVERYTHING_SIZE_GUIDANCE, EventAccumulator
from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.plugins.scalar.summary_v2 import scalar_pb
from tensorboard.summary.writer.event_file_writer import EventFileWriter
from torch.utils.tensorboard import SummaryWriter
from torchtitan.components.metrics import TensorBoardLogger

LOSSES = [3.21, 0.1, 1 / 3, 2e-40, 1e30, 0.7, 0.5, 0.6, 0.4, 0.3, 0.2, 0.15]
OTHER = LOSSES[:6] + [0.7000001] + LOSSES[7:]


def float32(values):
    return [float(numpy.float32(value)) for value in values]


class LogsTest(AdapterTest):
    def setUp(self):
        super().setUp()
        self.temporary = self.folder / "tmp"
        self.temporary.mkdir()

    def parity(self, *words):
        done = subprocess.run([PARITY, *words], capture_output=True, text=True, cwd=self.folder,
                              env=os.environ | {"PARITY_PYTHON": sys.executable, "TMPDIR": str(self.temporary)})
        self.assertEqual(list(self.temporary.iterdir()), [], "a temporary file stayed")
        return done

    def compared(self, one, other, code, *sentences):
        done = self.parity("compare", str(one), str(other))
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        for sentence in sentences:
            self.assertIn(sentence, done.stdout + done.stderr)

    def lines(self, name, losses, first=0):
        """The same numbers as JSON lines."""
        rows = [json.dumps({"step": step, "train/loss": loss}) + "\n" for step, loss in enumerate(losses, first)]
        (self.folder / name).write_text("".join(rows))
        return name

    def board(self, name, losses, first=0, purge_step=None, **style):
        """A folder of events that PyTorch wrote, with a histogram. Returns the file written last."""
        before = set(self.folder.glob(f"{name}/*"))
        with SummaryWriter(self.path(name), purge_step=purge_step, filename_suffix=f".{len(before)}") as writer:
            for step, loss in enumerate(losses, first):
                writer.add_scalar("train/loss", loss, step, **style)
                writer.add_histogram("weights", numpy.arange(3.0), step)
        (file,) = set(self.folder.glob(f"{name}/*")) - before
        return file

    def offline(self, losses):
        """The file of an offline run of W&B."""
        with wandb.init(mode="offline", dir=self.path("")) as run:
            for loss in losses:
                run.log({"train": {"loss": loss}, "name": "a", "shape": wandb.Histogram([1, 2, 3])})
            folder = pathlib.Path(run.dir).parent
        (file,) = folder.glob("*.wandb")
        return file

    def test_scalars_of_pytorch_are_exact(self):
        styles = {"old": {}, "new": {"new_style": True}, "double": {"new_style": True, "double_precision": True}}
        for name, style in styles.items():
            file = self.board(name, LOSSES, **style)
            stored = list if name == "double" else float32
            same, other = self.lines("a.jsonl", stored(LOSSES)), self.lines("b.jsonl", stored(OTHER))
            self.compared(name, same, 0, f"{name}: TensorBoard, 12 steps, 1 channel", "not numbers over steps: weights",
                          "identical: 1 common channel")
            self.compared(file, same, 0)
            self.compared(name, other, 1, "loss at step 6: 0.5 against 0.7")

    def test_scalars_of_tensorboard_are_exact(self):
        writer = EventFileWriter(self.path("own"))
        for step, loss in enumerate(LOSSES):
            summary = scalar_pb("loss", loss) if step % 2 else Summary(value=[Summary.Value(tag="loss", simple_value=loss)])
            writer.add_event(Event(step=step, summary=summary))
        writer.close()
        self.compared("own", self.lines("a.jsonl", float32(LOSSES)), 0, "identical: 1 common channel")

    def test_a_resumed_run_is_joined(self):
        self.board("board", OTHER[:8])
        second = self.board("board", LOSSES[5:], first=5)
        second.rename(second.with_name(second.name.replace("tfevents.", "tfevents.9", 1)))  # some seconds later
        self.compared("board", self.lines("a.jsonl", float32(LOSSES)), 0, "2 files of events are joined",
                      "3 steps are repeated, first 5; the last value of each counts")

    def test_steps_that_tensorboard_purges_do_not_count(self):
        starts = {"ended": (5, LOSSES[5:]), "died": (5, LOSSES[5:7]), "died_at_once": (5, []), "late": (12, []), "again": (0, LOSSES)}
        for name, (start, losses) in starts.items():
            self.board(name, OTHER if start < 7 else LOSSES)
            second = self.board(name, losses, first=start, purge_step=start)
            second.rename(second.with_name(second.name.replace("tfevents.", "tfevents.9", 1)))  # some seconds later
            shown = EventAccumulator(self.path(name), STORE_EVERYTHING_SIZE_GUIDANCE).Reload().Scalars("train/loss")
            rows = [json.dumps({"step": event.step, "train/loss": event.value}) + "\n" for event in shown]
            (self.folder / "shown.jsonl").write_text("".join(rows))
            self.compared(name, "shown.jsonl", 0, f"{name}: TensorBoard, {len(rows)} steps")
            self.compared(name, self.lines("a.jsonl", float32(LOSSES)), 0 if len(rows) == 12 else 1)

    def test_two_runs_in_a_folder_are_refused(self):
        self.board("again", LOSSES)
        self.board("again", OTHER)
        self.compared("again", "again", 2, "and their values differ: 'train/loss' at step 6 is 0.5 and 0.7", "name one of the files")
        with SummaryWriter(self.path("both")) as one, SummaryWriter(self.path("both"), filename_suffix=".1") as other:
            for step, (loss, another) in enumerate(zip(LOSSES, OTHER, strict=True)):
                one.add_scalar("loss", loss, step)
                other.add_scalar("loss", another, step)
        self.compared("both", "both", 2, " began before ", "'loss' at step 6 is 0.5 and 0.7", "name one of the files")
        with SummaryWriter(self.path("forms")) as writer:
            for step, loss in enumerate(LOSSES):
                writer.add_scalar("loss", loss, step)
                writer.add_scalar("loss", 2 * loss, step, new_style=True)
        self.compared("forms", "forms", 2, "logs a tag as scalar and as tensor, with other values: 'loss' at step 0 is 3.2")

    def test_wandb_is_exact(self):
        file = self.offline(LOSSES)
        for place in (file, file.parent):
            self.compared(place, self.lines("a.jsonl", LOSSES), 0, "W&B, 12 steps", "not numbers over steps: name, shape")
            self.compared(place, self.lines("b.jsonl", OTHER), 1, "loss at step 6: 0.5 against 0.7000001")
        done = self.parity("import", str(file), "-o", "run.h5")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.compared("run.h5", self.lines("c.jsonl", LOSSES, first=1), 0)

    def test_parquet_is_exact(self):
        table = {"_step": range(12), "train/loss": LOSSES, "name": ["a"] * 12, "late": [None] * 11 + [2.0]}
        pyarrow.parquet.write_table(pyarrow.table(table), self.path("history.parquet"))
        self.compared("history.parquet", self.lines("a.jsonl", LOSSES), 0, "history.parquet: Parquet, 12 steps",
                      "not numbers over steps: name", "late")
        self.compared("history.parquet", self.lines("b.jsonl", OTHER), 1, "loss at step 6: 0.5 against 0.7000001")
        folder = self.folder / "export"
        folder.mkdir()
        for number, rows in enumerate((slice(0, 7), slice(7, 12))):
            pyarrow.parquet.write_table(pyarrow.table(table)[rows], folder / f"{number:04}.parquet")
        self.compared("export", "a.jsonl", 0, "2 Parquet files are joined")
        file = folder / "0001.parquet"
        data = file.read_bytes()
        for size in (len(data) - 1, len(data) // 2, 3, 0):
            file.write_bytes(data[:size])
            self.compared("export", "a.jsonl", 2, f"cannot read {file} (")

    def test_torchtitans_board_is_read(self):
        for name, losses in (("one", LOSSES), ("two", OTHER)):
            logger = TensorBoardLogger(self.path(name))
            for step, loss in enumerate(losses, 1):
                logger.log({"loss_metrics/global_avg_loss": loss, "grad_norm": 2 * loss, "mfu(%)": step}, step)
            logger.close()
        self.compared("one", "one", 0, "one: TensorBoard, 12 steps", "mfu(%)")
        self.compared("one", "two", 1, "loss at step 7: 0.5 against 0.7", "grad_norm at step 7")

    def test_state_and_console_of_a_trainer_have_the_same_steps(self):
        """The Trainer prints four digits of what its trainer_state.json has."""
        config = transformers.LlamaConfig(hidden_size=8, intermediate_size=8, num_hidden_layers=1, vocab_size=16,
                                          num_attention_heads=1)
        rows = [{"input_ids": row, "labels": row} for row in torch.arange(96).reshape(12, 8) % 16]
        arguments = transformers.TrainingArguments(
            output_dir=self.path("out"), max_steps=6, logging_steps=1, save_strategy="no", report_to=[], use_cpu=True,
            disable_tqdm=True, per_device_train_batch_size=2)
        transformers.set_seed(1)
        trainer = transformers.Trainer(transformers.LlamaForCausalLM(config), arguments, train_dataset=rows)
        with open(self.path("console.log"), "w") as console, contextlib.redirect_stdout(console):
            trainer.train()
        trainer.state.save_to_json(self.path("trainer_state.json"))
        self.compared("console.log", "console.log", 0, "console.log: Hugging Face text, 6 steps", "4 common channels")
        self.compared("trainer_state.json", "console.log", 0, "4 common channels agree in every digit",
                      "'loss' is compared to the 4 significant digits that the second log has")

    def test_damage_is_refused(self):
        for file in (self.board("board", LOSSES), self.offline(LOSSES)):
            data = file.read_bytes()
            for size in (len(data) - 1, len(data) - 20, len(data) // 2 + 1, 25, 3):
                file.write_bytes(data[:size])
                self.compared(file, file, 2, f"cannot read {file} (the record at byte ")
            for place in (30, len(data) // 2, len(data) - 2):
                file.write_bytes(data[:place] + bytes([data[place] ^ 8]) + data[place + 1:])
                self.compared(file.parent, file.parent, 2, f"cannot read {file} (the record at byte ")
            file.write_bytes(data)
            self.compared(file, file, 0)

    def test_what_comes_before_the_damage_can_be_kept(self):
        for file in (self.board("board", LOSSES), self.offline(LOSSES)):
            data = file.read_bytes()
            file.write_bytes(data[:len(data) * 2 // 3])
            told = self.parity("compare", file, file).stderr
            self.assertIn("keep what comes before: head -c ", told)
            file.write_bytes(data[:int(told.rpartition(" ")[2])])
            self.compared(file, file, 0)
        self.compared(file, file, 0, "the file has no end of the run")


if __name__ == "__main__":
    main()
