# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The GRPOTrainer of TRL on a small Llama. Its rollouts are given, so each arm trains on the same ones.

Usage: grpo.py CONFIG.json
keys: steps, loss_type, lengths ("equal", "unequal"), batch, accumulation, max_completion_length
Each rollout serves two updates: at the second one the ratios are not 1, so the loss is not 0.
"""

import tempfile

from shared import VOCABULARY, config, model, tokenizer

import datasets
import parity.hf
import torch
import trl

defaults = {"steps": 6, "loss_type": "grpo", "lengths": "unequal", "batch": 8, "accumulation": 1, "max_completion_length": 12}
config = defaults | config
random = torch.Generator().manual_seed(1)
rewards = []


def drawn(low, high):
    return int(torch.randint(low, high, (1,), generator=random))


def rollouts(prompts, trainer):
    """Completions for prompts, as a server would return them. They depend on nothing but the number of the call."""
    lengths = [12 if config["lengths"] == "equal" else drawn(2, 13) for _ in prompts]
    completions = [[drawn(3, VOCABULARY) for _ in range(length)] for length in lengths]
    return {"prompt_ids": [trainer.processing_class(prompt)["input_ids"] for prompt in prompts],
            "completion_ids": completions, "logprobs": [[0.0] * length for length in lengths]}


def reward(completion_ids, **_):
    """The share of even tokens."""
    rewards[:] = [sum(token % 2 == 0 for token in tokens) / len(tokens) for tokens in completion_ids]
    return rewards.copy()


arguments = trl.GRPOConfig(
    output_dir=tempfile.mkdtemp(), max_steps=config["steps"], per_device_train_batch_size=config["batch"],
    gradient_accumulation_steps=config["accumulation"], num_generations=4, num_iterations=2, loss_type=config["loss_type"],
    max_completion_length=config["max_completion_length"], learning_rate=1e-2, lr_scheduler_type="constant", max_grad_norm=0.5,
    logging_steps=1, save_strategy="no", report_to=[], use_cpu=True, bf16=False, gradient_checkpointing=False, seed=5,
    disable_tqdm=True)
prompts = [f"w{3 + at} w{40 - at}" for at in range(16)]
trainer = trl.GRPOTrainer(
    model=model(), args=arguments, processing_class=tokenizer(), reward_funcs=reward, rollout_func=rollouts,
    train_dataset=datasets.Dataset.from_dict({"prompt": prompts}),
    callbacks=[parity.hf.Callback(config=config, extras=["update_norm"], channels=lambda: {"reward_mean": sum(rewards) / 8})])
trainer.train()
