# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The Trainer of transformers on a small Llama, with rows of unequal length. One line records it.

Usage: train.py CONFIG.json
keys: steps, batch, accumulation, schedule, warmup_steps, max_norm, average ("tokens", or "micro_batches" as before
transformers 4.46), version (of transformers; the run stops if another one is installed), divisor ("ranks": the labels
of all ranks; "rank": each rank's own), smoothing (of labels), smoothed_by ("trainer", or "formula" for the formula by
hand), bf16 (autocast)
"""

import json
import os
import sys
import tempfile

os.environ |= {"HF_HUB_OFFLINE": "1", "CUDA_VISIBLE_DEVICES": "", "TQDM_DISABLE": "1"}
import parity.hf
import torch
import transformers

config = {"steps": 8, "batch": 8, "accumulation": 1, "schedule": "constant", "warmup_steps": 0, "max_norm": 0.5,
          "average": "tokens", "version": transformers.__version__, "smoothing": 0.0, "smoothed_by": "trainer", "bf16": False}
with open(sys.argv[1], encoding="utf-8") as file:
    config |= json.load(file)
if config["version"] != transformers.__version__:
    sys.exit(f"found transformers {transformers.__version__} in place of {config['version']}; run: sh cases/frameworks/known/make.sh")
torch.set_num_threads(1)
VOCABULARY, LONGEST = 64, 24


def rows(count):
    """Rows that count up from a random token, with labels on the last 4 to 22 tokens only."""
    random = torch.Generator().manual_seed(1)
    for _ in range(count):
        first, ignored = torch.randint(0, VOCABULARY, (1,), generator=random), 2 + torch.randint(0, 19, (1,), generator=random)
        tokens = (first + torch.arange(LONGEST)) % VOCABULARY
        labels = torch.where(torch.arange(LONGEST) < ignored, -100, tokens)
        yield {"input_ids": tokens, "labels": labels}


class MicroBatchMean(transformers.Trainer):
    """Averages the means of micro-batches, as for a model whose loss does not take the number of tokens."""

    def __init__(self, **given):
        super().__init__(**given)
        self.model_accepts_loss_kwargs = False


def smoothed(outputs, labels, num_items_in_batch):
    """Cross entropy with a share `smoothing` of each target spread over all tokens, per label of the update."""
    found = outputs["logits"][:, :-1].log_softmax(-1)
    for_target = found.gather(-1, labels[:, 1:, None].clamp(min=0)).squeeze(-1)
    of_each = (1 - config["smoothing"]) * for_target + config["smoothing"] * found.mean(-1)
    return -of_each[labels[:, 1:] != -100].sum() / num_items_in_batch


torch.manual_seed(3)
model = transformers.LlamaForCausalLM(transformers.LlamaConfig(
    vocab_size=VOCABULARY, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
    num_key_value_heads=2, max_position_embeddings=LONGEST))
divided = {"average_tokens_across_devices": config["divisor"] == "ranks"} if "divisor" in config else {}
arguments = transformers.TrainingArguments(
    output_dir=tempfile.mkdtemp(), max_steps=config["steps"], per_device_train_batch_size=config["batch"],
    gradient_accumulation_steps=config["accumulation"], learning_rate=1e-2, lr_scheduler_type=config["schedule"],
    warmup_steps=config["warmup_steps"], max_grad_norm=config["max_norm"], logging_steps=1, save_strategy="no", report_to=[],
    use_cpu=True, seed=5, disable_tqdm=True, bf16=config["bf16"],
    label_smoothing_factor=config["smoothing"] if config["smoothed_by"] == "trainer" else 0.0, **divided)
kind = {"tokens": transformers.Trainer, "micro_batches": MicroBatchMean}[config["average"]]
by_hand = {"compute_loss_func": smoothed} if config["smoothed_by"] == "formula" else {}
trainer = kind(model=model, args=arguments, train_dataset=list(rows(64)), callbacks=[parity.hf.Callback(config=config)],
               **by_hand)
trainer.train()
