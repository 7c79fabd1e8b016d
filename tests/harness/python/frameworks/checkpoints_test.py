# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""`parity compare` on checkpoints that transformers, safetensors, torchtitan and torch.distributed.checkpoint wrote.

Usage: checkpoints_test.py SOURCE_DIR PARITY RECORDER_LIBRARY
"""
import os
import subprocess
import sys

from support import PARITY, AdapterTest, json, main

import torch
import torch.distributed.checkpoint as dcp
import transformers
from safetensors.torch import save_file
from torchtitan.models.llama3.model.args import TransformerModelArgs
from torchtitan.models.llama3.model.model import Transformer
from torchtitan.models.llama3.model.state_dict_adapter import Llama3StateDictAdapter

LAYERS, HEADS, KEY_HEADS, WIDTH = 3, 4, 2, 64


def drawn(model):
    """The same model with distinct values in every parameter, norms and biases too."""
    torch.manual_seed(5)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(torch.randn_like(parameter))
    return model


def llama():
    return drawn(transformers.LlamaForCausalLM(transformers.LlamaConfig(
        hidden_size=WIDTH, intermediate_size=176, num_hidden_layers=LAYERS, num_attention_heads=HEADS,
        num_key_value_heads=KEY_HEADS, vocab_size=512)))


class CheckpointsTest(AdapterTest):
    def compare(self, one, other, *words):
        return subprocess.run([PARITY, "compare", self.path(one), self.path(other), *words], capture_output=True, text=True,
                              env=os.environ | {"PARITY_PYTHON": sys.executable})

    def agree(self, one, other, *sentences):
        done = self.compare(one, other)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for sentence in sentences:
            self.assertIn(sentence, done.stdout)

    def differ(self, one, other, *sentences):
        done = self.compare(one, other)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        for sentence in sentences:
            self.assertIn(sentence, done.stdout)

    def titan(self, hf):
        """The state dict of torchtitan's adapter, loaded by torchtitan's model."""
        arguments = TransformerModelArgs(dim=WIDTH, n_layers=LAYERS, n_heads=HEADS, n_kv_heads=KEY_HEADS, vocab_size=512)
        return Llama3StateDictAdapter(arguments, None).from_hf(hf.state_dict())

    def test_torchtitan_is_the_permuted_llama(self):
        hf = llama()
        hf.save_pretrained(self.path("hf"), max_shard_size="200KB")
        self.assertGreater(len(list((self.folder / "hf").glob("*.safetensors"))), 2)
        titan = self.titan(hf)
        dcp.save(titan, checkpoint_id=self.path("titan"), no_dist=True)
        self.agree("hf", "titan",
                   "layers.*.attention.wq.weight is model.layers.*.self_attn.q_proj.weight, rows permuted within heads of "
                   "16, halves to pairs (RoPE); bit for bit (3 tensors)",
                   "layers.*.feed_forward.w2.weight is model.layers.*.mlp.down_proj.weight; bit for bit (3 tensors)",
                   "equal: 24 tensors bit for bit and 6 after a rule")
        self.agree("titan", "hf", "pairs to halves")
        titan["layers.1.attention.wk.weight"] = hf.state_dict()["model.layers.1.self_attn.k_proj.weight"]
        dcp.save(titan, checkpoint_id=self.path("bad"), no_dist=True)
        self.differ("hf", "bad", "the permutation for RoPE is missing", "different: 1 of 30 pairs")

    def test_names_are_those_of_torchtitan(self):
        arguments = TransformerModelArgs(dim=WIDTH, n_layers=LAYERS, n_heads=HEADS, n_kv_heads=KEY_HEADS, vocab_size=512)
        model = drawn(Transformer(arguments))
        save_file(model.state_dict(), self.path("a.safetensors"))
        adapter = Llama3StateDictAdapter(arguments, None)
        hf = {name: value.contiguous() for name, value in adapter.to_hf(model.state_dict()).items()}
        save_file(hf, self.path("b.safetensors"))
        self.agree("a.safetensors", "b.safetensors", "pairs to halves (RoPE); bit for bit (3 tensors)")

    def test_gpt2_is_transposed(self):
        gpt = drawn(transformers.GPT2LMHeadModel(transformers.GPT2Config(
            n_embd=48, n_layer=3, n_head=4, vocab_size=200, n_positions=32, bos_token_id=0, eos_token_id=0)))
        gpt.save_pretrained(self.path("hf"))
        linear = ("c_attn.weight", "c_proj.weight", "c_fc.weight")
        other = {name: (value.T if name.endswith(linear) else value).clone().contiguous()
                 for name, value in gpt.state_dict().items()}
        save_file(other, self.path("b.safetensors"))
        self.agree("hf", "b.safetensors", "transformer.h.*.attn.c_attn.weight, transposed; bit for bit (3 tensors)",
                   "lm_head.weight: tied to transformer.wte.weight; bit for bit (1 tensor)")
        name = "transformer.h.1.attn.c_proj.weight"  # square
        other[name] = gpt.state_dict()[name].clone()
        save_file(other, self.path("c.safetensors"))
        self.differ("hf", "c.safetensors", "it is not transposed, while transformer.h.")

    def test_tied_llama_has_no_output(self):
        tied = llama()
        tied.config.tie_word_embeddings = True
        tied.tie_weights()
        tied.save_pretrained(self.path("hf"))
        full = {name: value.clone() for name, value in tied.state_dict().items()}
        full["lm_head.weight"] = full["model.embed_tokens.weight"].clone()
        save_file(full, self.path("full.safetensors"))
        self.agree("hf", "full.safetensors", "lm_head.weight: tied to model.embed_tokens.weight")

    def test_saved_in_bfloat16_is_rounded(self):
        hf = llama()
        hf.save_pretrained(self.path("wide"))
        hf.bfloat16().save_pretrained(self.path("narrow"))
        self.agree("wide", "narrow", "equal: 30 after rounding to the narrower dtype")

    def test_every_dtype_of_safetensors_is_read(self):
        types = [torch.float64, torch.float32, torch.bfloat16, torch.float16, torch.float8_e4m3fn, torch.float8_e5m2,
                 torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool, torch.uint16, torch.uint32,
                 torch.uint64]
        values = {str(dtype): torch.tensor([0, 1, 2, 3], dtype=torch.float32).to(dtype) for dtype in types}
        save_file(values, self.path("a.safetensors"), metadata={"format": "pt"})
        torch.save(values, self.path("b.pt"))
        self.agree("a.safetensors", "b.pt", f"identical: {len(types)} tensors bit for bit")
        for name in values:
            values[name] = torch.tensor([0, 1, 0, 3], dtype=torch.float32).to(values[name].dtype)
        save_file(values, self.path("c.safetensors"))
        found = json.loads(self.compare("a.safetensors", "c.safetensors", "--json").stdout)
        different = [tensor for tensor in found["tensors"] if tensor["verdict"] == "different"]
        self.assertEqual(len(different), len(types))
        self.assertTrue(all(tensor["differing"] == 1 for tensor in different))

    def test_experts_of_mixtral_are_found(self):
        config = transformers.MixtralConfig(
            hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
            vocab_size=128, num_local_experts=3)
        drawn(transformers.MixtralForCausalLM(config)).save_pretrained(self.path("hf"))
        from safetensors import safe_open
        saved = {}
        for file in (self.folder / "hf").glob("*.safetensors"):
            with safe_open(file, "pt") as opened:
                saved |= {name: opened.get_tensor(name) for name in opened.keys()}
        stacked = {name.removeprefix("model."): value for name, value in saved.items() if ".experts." not in name}
        for layer in range(2):
            for part in ("w1", "w2", "w3"):
                names = [f"model.layers.{layer}.block_sparse_moe.experts.{expert}.{part}.weight" for expert in range(3)]
                stacked[f"layers.{layer}.moe.experts.{part}"] = torch.stack([saved[name] for name in names])
        save_file(stacked, self.path("b.safetensors"))
        self.agree("hf", "b.safetensors",
                   "layers.*.moe.experts.w2[*] is model.layers.*.block_sparse_moe.experts.*.w2.weight, one of a "
                   "stack; bit for bit (6 tensors)")


if __name__ == "__main__":
    main()
