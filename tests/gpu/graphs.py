# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""A training whose forward and backward passes are one CUDA graph, recorded; prints a JSON object, what was found -> whether.

Usage: graphs.py PARITY FOLDER
"""
import json
import pathlib
import subprocess
import sys
import warnings

import parity
import torch

PARITY, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
STEPS, STATE, EVERYTHING = 5, {"sketches": [{"phases": ["grad", "param", "optim"]}]}, {"sketches": [{}]}


def train(graph, path=None, capture=None):
    """Five updates. Returns the final parameters, and what the recorder warned of."""
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.GELU(), torch.nn.LayerNorm(128), torch.nn.Linear(128, 64)).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    batches = torch.randn(STEPS, 32, 64, generator=torch.Generator().manual_seed(1)).cuda()
    batch = batches[0].clone()

    def passes():
        loss = (model(batch) - batch).square().mean()
        loss.backward()
        return loss

    if graph:
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(3):
                optimizer.zero_grad(set_to_none=True)
                passes()
        torch.cuda.current_stream().wait_stream(side)
        optimizer.zero_grad(set_to_none=True)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        rec = parity.record(model, optimizer, path=path, capture=capture)
        if graph:
            recorded = torch.cuda.CUDAGraph()
            with torch.cuda.graph(recorded):
                loss = passes()
        for inputs in batches:
            batch.copy_(inputs)
            if graph:
                recorded.replay()
            else:
                optimizer.zero_grad(set_to_none=True)
                loss = passes()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 0.1)
            optimizer.step()
            rec.step(loss=loss)
        rec.close()
    return [one.detach().clone() for one in model.parameters()], " | ".join(str(one.message) for one in said)


def same(one, two):
    return all(torch.equal(a, b) for a, b in zip(one, two, strict=True))


FOLDER.mkdir(parents=True, exist_ok=True)
plain, _ = train(True)
eager, _ = train(False, FOLDER / "eager.h5", STATE)
recorded, said_of_state = train(True, FOLDER / "graph.h5", STATE)
other, said = train(True, FOLDER / "everything.h5", EVERYTHING)
compared = subprocess.run([PARITY, "compare", FOLDER / "eager.h5", FOLDER / "graph.h5"], capture_output=True, text=True, check=False)
print(said_of_state, said, compared.stdout, compared.stderr, sep="\n", file=sys.stderr)
print(json.dumps({"the graph computes what eager mode does": same(plain, eager), "recording changes no bit": same(plain, recorded) and same(plain, other),
                  "state is recorded as in eager mode": compared.returncode == 0,
                  "passes in a graph are refused": "while a CUDA graph is captured" in said}))
