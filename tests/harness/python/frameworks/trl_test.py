# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""parity.hf.Callback in TRL's SFTTrainer.

Usage: trl_test.py SOURCE_DIR PARITY RECORDER_LIBRARY
"""
from support import ALL, AdapterTest, Trace, main, parameters_of

import datasets
import tokenizers
import torch
import transformers
import trl

import parity.hf

STEPS, LIMIT = 4, 0.05
WORDS = ["<pad>", "<eos>", "<unk>", "the", "loss", "of", "an", "update", "is", "one", "number", "mean"]


def tokenizer():
    words = tokenizers.Tokenizer(tokenizers.models.WordLevel({word: at for at, word in enumerate(WORDS)}, "<unk>"))
    words.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    return transformers.PreTrainedTokenizerFast(tokenizer_object=words, pad_token="<pad>", eos_token="<eos>",
                                                unk_token="<unk>")


def model():
    torch.manual_seed(3)
    return transformers.LlamaForCausalLM(transformers.LlamaConfig(
        vocab_size=len(WORDS), hidden_size=16, intermediate_size=32, num_hidden_layers=2, num_attention_heads=2,
        num_key_value_heads=1, max_position_embeddings=32, pad_token_id=0, eos_token_id=1))


class TrlTest(AdapterTest):
    def train(self, *callbacks, **changes):
        """Trains. Returns (final parameters, log)."""
        texts = [" ".join(WORDS[3 + (at * 5 + row) % 9] for at in range(4 + row % 5)) for row in range(32)]
        given = {"output_dir": self.path("out"), "max_steps": STEPS, "per_device_train_batch_size": 2,
                 "gradient_accumulation_steps": 2, "learning_rate": 1e-2, "warmup_steps": 2, "max_grad_norm": LIMIT,
                 "logging_steps": 1, "save_strategy": "no", "report_to": [], "use_cpu": True, "bf16": False,
                 "gradient_checkpointing": False, "disable_tqdm": True, "max_length": 16} | changes
        trainer = trl.SFTTrainer(model=model(), args=trl.SFTConfig(**given), processing_class=tokenizer(),
                                 train_dataset=datasets.Dataset.from_dict({"text": texts}), callbacks=[*callbacks])
        trainer.remove_callback(transformers.PrinterCallback)
        trainer.train()
        return parameters_of(trainer.model), [log for log in trainer.state.log_history if "loss" in log]

    def recorded(self, name, **changes):
        """Trains with a recorder. Returns (trace, final parameters, log)."""
        return (*self.train(parity.hf.Callback(path=self.path(name), capture=ALL), **changes), Trace(self.path(name)))

    def test_trace_has_what_the_trainer_used(self):
        plain, _ = self.train()
        parameters, logs, trace = self.recorded("run.h5")
        self.assert_same_bits(plain, parameters)
        self.assertEqual(trace.steps, list(range(1, STEPS + 1)))
        for channel, key in {"loss": "loss", "lr": "learning_rate", "grad_norm": "grad_norm"}.items():
            self.assertEqual(trace.channels[channel], [log[key] for log in logs], channel)
        self.assert_clipped(trace, LIMIT)

    def test_recomputed_activations_do_not_change_the_trace(self):
        self.recorded("stored.h5")
        _, _, trace = self.recorded("recomputed.h5", gradient_checkpointing=True)
        self.assertEqual(self.different(self.path("stored.h5"), self.path("recomputed.h5")), {})
        self.assertIn("model.layers.0.mlp.up_proj.weight", trace.phase(1, "grad"))

    def test_planted_schedule_is_reported_at_its_step(self):
        self.recorded("right.h5")
        self.recorded("late.h5", warmup_steps=3)
        found = self.different(self.path("right.h5"), self.path("late.h5"))
        self.assertEqual((found["lr"], found["loss"]), (2, 3))


if __name__ == "__main__":
    main()
