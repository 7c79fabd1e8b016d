# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The DPOTrainer of TRL on a small Llama, with eight pairs of unequal length in each update. One line records it.

Usage: dpo.py CONFIG.json
keys: steps, batch, accumulation, losses (names of loss types, which are added), reference ("model", or "stored" for
log probabilities that are computed once)
"""

import tempfile

from shared import config, documents, model, tokenizer

import datasets
import parity.hf
import trl

config = {"steps": 6, "batch": 8, "accumulation": 1, "losses": ["sigmoid"], "reference": "model"} | config
arguments = trl.DPOConfig(
    output_dir=tempfile.mkdtemp(), max_steps=config["steps"], per_device_train_batch_size=config["batch"],
    gradient_accumulation_steps=config["accumulation"], loss_type=config["losses"],
    precompute_ref_log_probs=config["reference"] == "stored", learning_rate=2e-3, lr_scheduler_type="constant",
    max_grad_norm=0.5, logging_steps=1, save_strategy="no", report_to=[], use_cpu=True, bf16=False,
    gradient_checkpointing=False, seed=5, disable_tqdm=True)


def text(tokens):
    return "".join(f" w{token}" for token in tokens)


chosen = list(documents(8))
rejected = [tokens[:2] + tokens[:1:-1] for tokens in documents(16)][8:]
pairs = {"prompt": [text(tokens[:2]).strip() for tokens in chosen], "chosen": [text(tokens[2:]) for tokens in chosen],
         "rejected": [text(tokens[2:]) for tokens in rejected]}
trainer = trl.DPOTrainer(
    model=model(), ref_model=model(), args=arguments, processing_class=tokenizer(),
    train_dataset=datasets.Dataset.from_dict(pairs), callbacks=[parity.hf.Callback(config=config)])
trainer.train()
