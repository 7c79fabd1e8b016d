# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The GRPOTrainer of TRL on rollouts and first weights of a trace of parity-train, which the case names.

Usage: replayed.py CONFIG.json TRACE
keys: steps, loss_type, padding (the token whose embedding does not train; -1: none)
"""

import sys
import tempfile

from shared import config, tokenizer

import datasets
import h5py
import parity.hf
import torch
import transformers
import trl
from parity.recording import twin

config = {"steps": 6, "loss_type": "dapo", "padding": -1} | config
twin.begin_if_asked()  # before the model computes the frequencies of RoPE
EQUALS, END, GROUP = 10, 11, 4
HUGGING_FACE = {
    "tok_embeddings": "model.embed_tokens", "norm": "model.norm", "output": "lm_head", "attention.wq": "self_attn.q_proj",
    "attention.wk": "self_attn.k_proj", "attention.wv": "self_attn.v_proj", "attention.wo": "self_attn.o_proj",
    "feed_forward.w1": "mlp.gate_proj", "feed_forward.w2": "mlp.down_proj", "feed_forward.w3": "mlp.up_proj",
    "attention_norm": "input_layernorm", "ffn_norm": "post_attention_layernorm"}


def renamed(name):
    words = name.removesuffix(".weight").split(".")
    layer = f"model.layers.{words[1]}." if words[0] == "layers" else ""
    return layer + HUGGING_FACE[".".join(words[2:] if layer else words)] + ".weight"


def model(weights):
    llama = transformers.LlamaForCausalLM(transformers.LlamaConfig(
        vocab_size=12, hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=2, max_position_embeddings=32, rms_norm_eps=1e-5, eos_token_id=END,
        pad_token_id=None if config["padding"] < 0 else config["padding"],
        rope_parameters={"rope_type": "default", "rope_theta": 10000.0}))
    llama.load_state_dict({renamed(name): torch.from_numpy(values[()]) for name, values in weights.items()})
    return llama


def rows_of(batch):
    """Each row's prompt, then its completion, whose labels are shifted by one."""
    for tokens, labels in zip(batch["tokens"][()].tolist(), batch["labels"][()].tolist(), strict=True):
        yield tokens[:tokens.index(EQUALS) + 1], [label for label in labels if label != -100]


def reward_of(prompt, completion):
    """1 for the sum of the prompt's digits and the end, 0 for another number, -1 for anything else."""
    digits = completion[:-1]
    if completion[-1] != END or not digits or max(digits) > 9 or (len(digits) > 1 and digits[0] == 0):
        return -1.0
    return float(int("".join(map(str, digits))) == sum(prompt[:-1]))


with h5py.File(sys.argv[2]) as file:
    policy = model(file["replay/initial"])
    updates = iter([list(rows_of(file[f"replay/batches/{step}/0"])) for step in range(1, config["steps"] + 1)])
    rows = len(file["replay/batches/1/0/tokens"])
rewards = []


def rollouts(prompts, trainer):
    written = next(updates)
    rewards[:] = [reward_of(*row) for row in written]
    return {"prompt_ids": [prompt for prompt, _ in written], "completion_ids": [completion for _, completion in written],
            "logprobs": [[0.0] * len(completion) for _, completion in written]}


arguments = trl.GRPOConfig(
    output_dir=tempfile.mkdtemp(), max_steps=config["steps"], per_device_train_batch_size=rows, num_generations=GROUP,
    loss_type=config["loss_type"], scale_rewards="none", max_completion_length=4, learning_rate=2e-3,
    lr_scheduler_type="constant", adam_beta2=0.95, weight_decay=0.0, max_grad_norm=1.0, logging_steps=1, save_strategy="no",
    report_to=[], use_cpu=True, bf16=False, gradient_checkpointing=False, seed=5, disable_tqdm=True)
trainer = trl.GRPOTrainer(
    model=policy, args=arguments, processing_class=tokenizer(), rollout_func=rollouts,
    reward_funcs=lambda completion_ids, **_: rewards.copy(),
    train_dataset=datasets.Dataset.from_dict({"prompt": [f"w{at}" for at in range(rows)]}),
    callbacks=[parity.hf.Callback(config=config, extras=["update_norm"],
                                  channels=lambda: {"reward_mean": sum(rewards) / rows})])
trainer.train()
