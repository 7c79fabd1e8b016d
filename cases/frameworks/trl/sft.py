# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The SFTTrainer of TRL on a small Llama, with eight documents of unequal length in each update. One line records it.

Usage: sft.py CONFIG.json
keys: steps, rows ("padded", "flat" for padding_free, or a packing_strategy: "bfd", "wrapped"), batch, accumulation,
attention, mask ("none", or "ones": what a collator for padded rows returns), loss_type
"""

import tempfile

from shared import config, documents, model, tokenizer

import datasets
import parity.hf
import torch
import trl

defaults = {"steps": 6, "rows": "padded", "batch": 8, "accumulation": 1, "attention": "sdpa", "mask": "none", "loss_type": "nll"}
config = defaults | config
packs = config["rows"] in ("bfd", "wrapped")
arguments = trl.SFTConfig(
    output_dir=tempfile.mkdtemp(), max_steps=config["steps"], per_device_train_batch_size=config["batch"],
    gradient_accumulation_steps=config["accumulation"], packing=packs, padding_free=config["rows"] == "flat",
    packing_strategy=config["rows"] if packs else "bfd", max_length=None if config["rows"] == "flat" else 24,
    loss_type=config["loss_type"], learning_rate=1e-2, lr_scheduler_type="constant", max_grad_norm=0.5, logging_steps=1,
    save_strategy="no", report_to=[], use_cpu=True, bf16=False, gradient_checkpointing=False, seed=5, disable_tqdm=True)
trainer = trl.SFTTrainer(
    model=model(config["attention"]), args=arguments, processing_class=tokenizer(),
    train_dataset=datasets.Dataset.from_dict({"input_ids": list(documents(8))}),
    callbacks=[parity.hf.Callback(config=config)])
if config["mask"] == "ones":
    collate = trainer.data_collator

    def with_mask(examples):
        batch = collate(examples)
        return {"attention_mask": torch.ones_like(batch["input_ids"])} | batch

    trainer.data_collator = with_mask
trainer.train()
