# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The Trainer of transformers on a small Llama with dropout, from the beginning or from a checkpoint of update 4.

Usage: resume.py CONFIG.json
keys: resumed (false: twelve updates at once), forgets ("nothing", "random_state", "position" of the data, "optimizer")
"""

import json
import os
import pathlib
import sys
import tempfile

os.environ |= {"HF_HUB_OFFLINE": "1", "CUDA_VISIBLE_DEVICES": "", "TQDM_DISABLE": "1"}
import parity.hf
import torch
import transformers

config = {"resumed": False, "forgets": "nothing"}
with open(sys.argv[1], encoding="utf-8") as file:
    config |= json.load(file)
torch.set_num_threads(1)
folder = tempfile.mkdtemp()


class StopAt4(transformers.TrainerCallback):
    def on_step_end(self, args, state, control, **given):
        control.should_training_stop = state.global_step == 4
        control.should_save = control.should_training_stop


def trainer(callback):
    transformers.set_seed(3)
    model = transformers.LlamaForCausalLM(transformers.LlamaConfig(
        vocab_size=64, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=2, max_position_embeddings=24, attention_dropout=0.1))
    first = torch.randint(0, 64, (48, 1), generator=torch.Generator().manual_seed(1))
    rows = [{"input_ids": row, "labels": row} for row in (first + torch.arange(24)) % 64]
    arguments = transformers.TrainingArguments(
        output_dir=folder, max_steps=12, per_device_train_batch_size=8, learning_rate=1e-2, lr_scheduler_type="cosine",
        warmup_steps=2, max_grad_norm=0.5, logging_steps=1, save_strategy="no", report_to=[], use_cpu=True, seed=5,
        disable_tqdm=True, ignore_data_skip=config["forgets"] == "position")
    return transformers.Trainer(model=model, args=arguments, train_dataset=rows, callbacks=[callback])


if config["resumed"]:
    trainer(StopAt4()).train()
    lost = {"random_state": "rng_state.pth", "optimizer": "optimizer.pt"}.get(config["forgets"])
    if lost:
        (pathlib.Path(folder) / "checkpoint-4" / lost).unlink()
recorded = trainer(parity.hf.Callback(config=config))
recorded.train(resume_from_checkpoint=f"{folder}/checkpoint-4" if config["resumed"] else None)
