# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Trainings as users write them for a GPU, each recorded and judged alone by `parity audit`.

Usage: trainings.py PARITY FOLDER [cpu|cuda]

Prints a JSON object: the name of a training -> {"wanted": "holds" or the law that must depart, "answer": what came, "seconds"}.
Exit status 1 if a lawful training departs, or a planted defect holds.
"""
import json
import pathlib
import subprocess
import sys
import time

import parity
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

PARITY, FOLDER, DEVICE = sys.argv[1], pathlib.Path(sys.argv[2]), (*sys.argv[3:], "cuda")[0]
ALL = {"tensors": [{"steps": [], "phases": [], "names": ["*"]}], "sketches": []}
STEPS, VOCABULARY, WIDTH, LIMIT = 6, 97, 64, 0.3


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.other = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.wqkv, self.wo = nn.Linear(WIDTH, 3 * WIDTH, bias=False), nn.Linear(WIDTH, WIDTH, bias=False)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        rows, length, _ = x.shape
        q, k, v = self.wqkv(self.norm(x)).view(rows, length, 3, 4, WIDTH // 4).permute(2, 0, 3, 1, 4)
        mixed = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.wo(mixed.transpose(1, 2).reshape(rows, length, WIDTH))
        return x + self.down(nn.functional.gelu(self.up(self.other(x))))


class Model(nn.Module):
    def __init__(self, again=False):
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, WIDTH)
        self.layers = nn.ModuleList([Block(), Block()])
        self.head = nn.Linear(WIDTH, VOCABULARY, bias=False)
        self.again = again

    def forward(self, tokens):
        x = self.embedding(tokens)
        for layer in self.layers:
            x = checkpoint(layer, x, use_reentrant=False) if self.again else layer(x)
        return self.head(x)


def adamw(model, **how):
    return [torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.1, **how)]


def muon(model):
    matrices = [one for layer in model.layers for one in layer.parameters() if one.ndim == 2]
    kept = {id(one) for one in matrices}
    others = [one for one in model.parameters() if id(one) not in kept]
    return [torch.optim.Muon(matrices, lr=2e-2, weight_decay=0.01), torch.optim.AdamW(others, lr=3e-3)]


def train(path, *, optimizers=adamw, autocast=None, scaler=False, unscale=True, dtype=None, micro_batches=1, divisor=None,
          wrap=None, again=False, clip_late=False, scheduler=None):
    """Six updates. autocast: a dtype, or None. divisor: of each micro-batch's loss; None: their number."""
    torch.manual_seed(0)
    model = Model(again).to(DEVICE, dtype)
    if wrap:
        model = wrap(model) or model
    held = optimizers(model)
    schedules = [torch.optim.lr_scheduler.LambdaLR(one, scheduler) for one in held] if scheduler else []
    scale = torch.amp.GradScaler(DEVICE, init_scale=1024.0, enabled=scaler)
    data = torch.Generator().manual_seed(1)
    with parity.record(model, held, path=str(path), capture=ALL) as rec:
        for _ in range(STEPS):
            tokens = torch.randint(0, VOCABULARY, (micro_batches, 4, 33), generator=data).to(DEVICE)
            losses = []
            for part in tokens:
                with torch.autocast(DEVICE, autocast, enabled=autocast is not None):
                    logits = model(part[:, :-1])
                    losses.append(nn.functional.cross_entropy(logits.float().flatten(0, 1), part[:, 1:].flatten()))
                scale.scale(losses[-1] / (divisor or micro_batches)).backward()
            rec.tensor("input", "labels", tokens[..., 1:].flatten(0, 1))
            if unscale:
                for one in held:
                    scale.unscale_(one)
            if not clip_late:
                nn.utils.clip_grad_norm_(model.parameters(), LIMIT)
            for one in held:
                scale.step(one)
            if clip_late:
                nn.utils.clip_grad_norm_(model.parameters(), LIMIT)
            scale.update()
            for one in schedules:
                one.step()
            for one in held:
                one.zero_grad()
            rec.step(loss=sum(losses) / micro_batches)


def fused_and_capturable(model):
    return adamw(model, fused=True, capturable=DEVICE == "cuda")


def compile_it(model):
    model.compile()


def replicate(model):
    return nn.parallel.DistributedDataParallel(model)


def shard(model):
    from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard

    policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    for layer in model.layers:
        fully_shard(layer, mp_policy=policy)
    fully_shard(model, mp_policy=policy)


def train_by_transformers(path):
    """The same by the Trainer of transformers, with two micro-batches and a rate that warms up."""
    import parity.hf
    import transformers

    torch.manual_seed(0)
    shape = {"hidden_size": WIDTH, "intermediate_size": 2 * WIDTH, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2}
    model = transformers.LlamaForCausalLM(transformers.LlamaConfig(vocab_size=VOCABULARY, max_position_embeddings=64, **shape))
    tokens = torch.randint(0, VOCABULARY, (64, 32), generator=torch.Generator().manual_seed(1))
    given = transformers.TrainingArguments(
        output_dir=str(FOLDER / "trainer"), max_steps=STEPS, per_device_train_batch_size=4, gradient_accumulation_steps=2, learning_rate=3e-3,
        warmup_steps=3, lr_scheduler_type="linear", max_grad_norm=LIMIT, bf16=True, optim="adamw_torch_fused", logging_steps=1,
        save_strategy="no", report_to=[], disable_tqdm=True, use_cpu=DEVICE == "cpu")
    trainer = transformers.Trainer(model=model, args=given, train_dataset=[{"input_ids": row, "labels": row} for row in tokens],
                                   callbacks=[parity.hf.Callback(path=str(path), capture=ALL)])
    trainer.remove_callback(transformers.PrinterCallback)
    trainer.train()


def warmup(update):
    return min(1.0, (update + 1) / 3)


LAWFUL = {
    "float32": {},
    "tf32": {"prepare": lambda: torch.set_float32_matmul_precision("high")},
    "fused AdamW, bfloat16 autocast, warmup": {"optimizers": lambda model: adamw(model, fused=True), "autocast": torch.bfloat16, "scheduler": warmup},
    "foreach AdamW, bfloat16 weights": {"optimizers": lambda model: adamw(model, foreach=True), "dtype": torch.bfloat16},
    "capturable AdamW": {"optimizers": fused_and_capturable},
    "float16 autocast, GradScaler": {"autocast": torch.float16, "scaler": True},
    "Muon": {"optimizers": muon, "autocast": torch.bfloat16},
    "four micro-batches": {"micro_batches": 4, "autocast": torch.bfloat16},
    "checkpointed blocks": {"again": True, "autocast": torch.bfloat16},
    "torch.compile": {"wrap": compile_it, "autocast": torch.bfloat16},
    "DistributedDataParallel": {"wrap": replicate, "autocast": torch.bfloat16, "distributed": True},
    "fully_shard, bfloat16 parameters": {"wrap": shard, "distributed": True},
    "Trainer of transformers": {"by": train_by_transformers},
}
PLANTED = {
    "no unscale_ before clipping": ("clip", {"autocast": torch.float16, "scaler": True, "unscale": False}),
    "gradients of four micro-batches added up": ("loss", {"micro_batches": 4, "divisor": 1, "autocast": torch.bfloat16}),
    "divided twice by the micro-batches": ("loss", {"micro_batches": 4, "divisor": 16}),
    "clipped after the step": ("clip", {"clip_late": True}),
}


def audit(path):
    done = subprocess.run([PARITY, "audit", str(path), "--json"], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        return {}, f"parity audit ended with {done.returncode}: {done.stderr.strip()[-300:]}"
    laws = json.loads(done.stdout)["laws"]
    return {row["law"]: row for row in laws}, "; ".join(
        f"{row['law']}: {row['departures'][0]['sentence']}" for row in laws if row["answer"] == "departs" and row["departures"])


def judge(name, wanted, options):
    begin = time.monotonic()
    options = dict(options)
    path = FOLDER / (name.replace(" ", "_").replace(",", "") + ".h5")
    prepare, distributed = options.pop("prepare", None), options.pop("distributed", False)
    if distributed and not torch.distributed.is_initialized():
        torch.distributed.init_process_group("nccl" if DEVICE == "cuda" else "gloo", init_method=f"file://{FOLDER}/store", rank=0, world_size=1)
    precision = torch.get_float32_matmul_precision()
    try:
        if prepare:
            prepare()
        options.pop("by", train)(path, **options)
    finally:
        torch.set_float32_matmul_precision(precision)
    laws, departures = audit(path)
    held = [law for law, row in laws.items() if row["answer"] == "holds"]
    departs = [law for law, row in laws.items() if row["answer"] == "departs"]
    good = bool(held) and not departures if wanted == "holds" else wanted in departs
    return {"good": good, "wanted": wanted, "holds": held, "departs": departs, "said": departures, "seconds": round(time.monotonic() - begin, 1)}


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    rows = {}
    for name, (wanted, options) in {**{name: ("holds", options) for name, options in LAWFUL.items()}, **PLANTED}.items():
        try:
            rows[name] = judge(name, wanted, options)
        except ModuleNotFoundError as missing:
            rows[name] = {"good": True, "wanted": wanted, "holds": [], "said": f"left out ({missing})"}
        except Exception as error:  # noqa: BLE001 - one training must not hide the others
            rows[name] = {"good": False, "wanted": wanted, "said": f"{type(error).__name__}: {error}"[:600]}
        print(name, json.dumps(rows[name]), file=sys.stderr, flush=True)
    if torch.distributed.is_initialized():
        torch.distributed.destroy_process_group()
    print(json.dumps(rows))
    return 0 if all(row["good"] for row in rows.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
