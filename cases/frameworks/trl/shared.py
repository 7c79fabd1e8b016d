# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""What the scripts of TRL share: the config, a small Llama, its tokenizer and documents. Nothing is downloaded."""

import json
import os
import sys
import tempfile

os.environ |= {"HF_HUB_OFFLINE": "1", "HF_HOME": tempfile.mkdtemp(), "CUDA_VISIBLE_DEVICES": "", "TQDM_DISABLE": "1"}
import tokenizers
import torch
import transformers

with open(sys.argv[1], encoding="utf-8") as file:
    config = json.load(file)
torch.set_num_threads(1)
VOCABULARY = 64


def tokenizer():
    """Words w0, w1, ..., one token each. The first two mark padding and the end."""
    words = tokenizers.Tokenizer(tokenizers.models.WordLevel({f"w{at}": at for at in range(VOCABULARY)}, "w2"))
    words.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    return transformers.PreTrainedTokenizerFast(tokenizer_object=words, pad_token="w0", eos_token="w1", unk_token="w2")


def model(attention="sdpa"):
    torch.manual_seed(3)
    return transformers.LlamaForCausalLM(transformers.LlamaConfig(
        vocab_size=VOCABULARY, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=2, max_position_embeddings=256, pad_token_id=0, eos_token_id=1, attn_implementation=attention))


def documents(count):
    """Lists of 4 to 19 tokens that count up from a random one."""
    random = torch.Generator().manual_seed(1)
    for _ in range(count):
        first, length = (int(torch.randint(0, 16, (1,), generator=random)) for _ in range(2))
        yield [3 + (4 * first + at) % (VOCABULARY - 3) for at in range(4 + length)]
