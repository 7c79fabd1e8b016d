# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Distributed functions against plain ones, over Gloo: collectives, parallel layers, and faults planted in them.

Usage: exact/ranks_test.py SOURCE_DIR PARITY RECORDER_LIBRARY
"""

import copy
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from on_ranks import RanksTest  # noqa: E402

from exactly import SOURCE, exact, main, numbers, page  # noqa: E402

import torch  # noqa: E402
import torch.distributed as dist  # noqa: E402
import torch.distributed._functional_collectives as functional  # noqa: E402
import torch.nn.functional as F  # noqa: E402
from torch import nn  # noqa: E402
from torch.distributed.fsdp import fully_shard  # noqa: E402
from torch.distributed.tensor import Shard  # noqa: E402
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module  # noqa: E402

from parity.exact.library import operators  # noqa: E402

MLP = {"x": numbers(4, 8), "up": numbers(16, 8), "down": numbers(8, 16)}
SHARDS = {"up": 0, "down": 1}


def plain(x, up, down):
    return F.linear(F.silu(F.linear(x, up)), down)


class Enter(torch.autograd.Function):
    """The same input on each rank, so that its gradient is a sum over the ranks."""

    @staticmethod
    def forward(ctx, x, reduces):
        ctx.reduces = reduces
        return x.clone()

    @staticmethod
    def backward(ctx, gradient):
        gradient = gradient.clone()
        if ctx.reduces:
            dist.all_reduce(gradient)
        return gradient, None


class Leave(torch.autograd.Function):
    """The sum over the ranks, on each rank."""

    @staticmethod
    def forward(ctx, x):
        x = x.clone()
        dist.all_reduce(x)
        return x

    @staticmethod
    def backward(ctx, gradient):
        return gradient


def parallel(x, up, down, reduces=True):
    return Leave.apply(plain(Enter.apply(x, reduces), up, down))


def same(f, g, inputs, **options):
    verdict = exact.same(f, g, inputs, **options)
    assert verdict, str(verdict)
    return verdict


def different(f, g, inputs, name, **options):
    verdict = exact.same(f, g, inputs, **options)
    assert verdict.outcome == "different" and verdict.first.name == name, str(verdict)
    return verdict


def refused(words, f, g, inputs, kind=ValueError, **options):
    try:
        verdict = exact.same(f, g, inputs, **options)
    except kind as problem:
        assert words in str(problem), str(problem)
    else:
        raise AssertionError(f"not refused: {verdict}")


def collective(run, like=None):
    """A function that returns what a collective writes: run(result, x)."""

    def function(x):
        result = torch.empty_like(x) if like is None else torch.empty(like)
        run(result, x.detach().clone())
        return result

    return function


def network():
    torch.manual_seed(4)
    return nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 8))


class ExactRanksTest(RanksTest):
    @classmethod
    def setUpClass(cls):
        operators()  # compiled once, before processes are forked

    def test_a_tensor_parallel_layer_is_the_plain_one(self):
        def body(mesh):
            same(plain, parallel, MLP, layout=SHARDS)

        self.on_ranks((1, 2), body)

    def test_a_missing_all_reduce_in_the_backward_pass_is_refuted(self):
        def body(mesh):
            verdict = different(plain, lambda x, up, down: parallel(x, up, down, False), MLP, "gradient of x", layout=SHARDS)
            assert verdict.compared == ("output", "gradient of up", "gradient of down"), str(verdict)
            assert "on rank 0 " in str(verdict), str(verdict)

        self.on_ranks((1, 2), body)

    def test_the_page_says_it_like_this(self):
        def body(mesh):
            for reduces in (True, False):
                names = {"exact": exact, "layer": plain} | MLP
                names["parallel_layer"] = lambda x, up, down, reduces=reduces: parallel(x, up, down, reduces)
                exec(page()[1], names)
                assert bool(names["verdict"]) == reduces, str(names["verdict"])
            told = str(names["verdict"])
            for line in re.search(r"^```\n(different.*?)^```", (SOURCE / "harness/python/exact.md").read_text(), re.M | re.S)[
                1
            ].splitlines():
                assert line.removesuffix("...") in told, told

        self.on_ranks((1, 2), body)

    def test_a_fault_on_one_rank_is_every_ranks_verdict(self):
        def body(mesh):
            def wrong(x, up, down):
                y = parallel(x, up, down)
                return y * (1 + 1e-15) if dist.get_rank() == 1 else y

            assert "on rank 1 " in str(different(plain, wrong, MLP, "output", layout=SHARDS))

        self.on_ranks((1, 2), body)

    def test_rows_of_the_batch_on_each_rank(self):
        def body(mesh):
            rows = {"x": 0, "output": 0}
            same(plain, plain, MLP, layout={**rows, "up": "sum", "down": "sum"})
            different(plain, plain, MLP, "gradient of down", layout={**rows, "up": "sum"})
            refused("layout names upp", plain, plain, MLP, layout={"upp": 0})

        self.on_ranks((2, 1), body)

    def test_inputs_that_differ_between_ranks_are_told(self):
        def body(mesh):
            x = torch.full((3,), float(dist.get_rank()))
            refused("input 0 has other values on another rank", lambda x: x, lambda x: x, x)

        self.on_ranks((2, 1), body)

    def test_collectives_move_and_add_residues(self):
        def body(mesh):
            n, x = 2, numbers(8, 3)
            whole = {"gradients": False}
            same(lambda x: x * n, collective(lambda r, x: dist.all_reduce(r.copy_(x))), x, **whole)
            same(lambda x: x * n, collective(lambda r, x: dist.all_reduce(r.copy_(x), async_op=True).wait()), x, **whole)
            same(
                lambda x: x,
                collective(lambda r, x: dist.all_gather_into_tensor(r, x), (8, 3)),
                x,
                layout={"input 0": 0},
                **whole,
            )
            same(
                lambda x: x,
                collective(lambda r, x: dist.all_gather(list(r.chunk(n)), x), (8, 3)),
                x,
                layout={"input 0": 0},
                **whole,
            )
            same(
                lambda x: x * n,
                collective(lambda r, x: dist.reduce_scatter_tensor(r, x), (4, 3)),
                x,
                layout={"output": 0},
                **whole,
            )
            same(
                lambda x: x * n,
                collective(lambda r, x: dist.reduce_scatter(r, list(x.chunk(n))), (4, 3)),
                x,
                layout={"output": 0},
                **whole,
            )
            same(
                lambda x: x,
                collective(lambda r, x: dist.reduce_scatter_tensor(r, x, op=dist.ReduceOp.AVG), (4, 3)),
                x,
                layout={"output": 0},
                **whole,
            )
            same(lambda x: x, collective(lambda r, x: dist.broadcast(r.copy_(x) if dist.get_rank() == 1 else r, 1)), x, **whole)
            same(
                lambda x: x.view(2, 2, 2, 3).transpose(0, 1).reshape(8, 3),
                collective(lambda r, x: dist.all_to_all_single(r, x)),
                x,
                layout={"input 0": 0, "output": 0},
                **whole,
            )
            same(
                lambda x: x.view(2, 4, 3).amax(0),
                collective(lambda r, x: dist.all_reduce(r.copy_(x), op=dist.ReduceOp.MAX)),
                x,
                layout={"input 0": 0},
                **whole,
            )
            same(lambda x: x * n, lambda x: functional.all_reduce(x, "sum", dist.group.WORLD) * 1, x, **whole)

        self.on_ranks((1, 2), body)

    def test_roots_of_collectives_get_residues(self):
        def body(mesh):
            rank, x, whole = dist.get_rank(), numbers(4, 3), {"gradients": False}

            def at_root(run):
                def function(x):
                    result = run(x.detach().clone())
                    dist.broadcast(result, 0)
                    return result

                return function

            def reduced(x):
                dist.reduce(x, 0)
                return x

            def gathered(x):
                parts = [torch.empty(2, 3) for _ in range(2)] if rank == 0 else None
                dist.gather(x, parts, 0)
                return torch.cat(parts) if rank == 0 else torch.empty(4, 3)

            def scattered(x):
                part = torch.empty(2, 3)
                dist.scatter(part, list(x.chunk(2)) if rank == 1 else None, 1)
                return part

            same(lambda x: x * 2, at_root(reduced), x, **whole)
            same(lambda x: x, at_root(gathered), x, layout={"input 0": 0}, **whole)
            same(lambda x: x, scattered, x, layout={"output": 0}, **whole)

        self.on_ranks((1, 2), body)

    def test_messages_between_two_ranks_are_refused(self):
        def body(mesh):
            for message in (lambda x: dist.isend(x, 1), lambda x: dist.irecv(x, 1)):
                def sends(x, message=message):
                    return message(x.detach().clone())

                refused("has no exact form", lambda x: x, sends, numbers(3), exact.Refused, gradients=False)

        self.on_ranks((1, 2), body)

    def test_wrong_collectives_are_refuted(self):
        def body(mesh):
            x, whole = numbers(8, 3), {"gradients": False}
            different(lambda x: x, collective(lambda r, x: dist.all_reduce(r.copy_(x))), x, "output", **whole)
            different(
                lambda x: x,
                collective(lambda r, x: dist.all_gather(list(r.chunk(2))[::-1], x), (8, 3)),
                x,
                "output",
                layout={"input 0": 0},
                **whole,
            )
            different(
                lambda x: x * 2,
                collective(lambda r, x: dist.all_reduce(r.copy_(x * (1 + 1e-12 * dist.get_rank())))),
                x,
                "output",
                **whole,
            )
            different(
                lambda x: x,
                collective(lambda r, x: dist.broadcast(r.copy_(x * (2 - dist.get_rank())), 0)),
                x,
                "output",
                **whole,
            )

        self.on_ranks((1, 2), body)

    def test_uneven_rows_are_exchanged(self):
        def body(mesh):
            rank, x = dist.get_rank(), numbers(8, 3)

            def exchange(x):
                sent = [[1, 3], [2, 2]][rank]
                received = [[1, 2], [3, 2]][rank]
                result = torch.empty(sum(received), 3)
                dist.all_to_all_single(result, x.detach().clone(), received, sent)
                rest = torch.zeros(5 - sum(received), 3)
                return torch.cat([result, rest])

            def expected(x):
                return torch.cat([x[:1], x[4:6], torch.zeros(2, 3), x[1:4], x[6:]])

            same(expected, exchange, x, layout={"input 0": 0, "output": 0}, gradients=False)

        self.on_ranks((1, 2), body)

    def test_a_rank_without_residues_is_named(self):
        def body(mesh):
            def wrong(x):
                x = x.detach().clone()
                if dist.get_rank() == 1:
                    x = torch.frombuffer(bytearray(48), dtype=torch.float32)
                dist.all_reduce(x)
                return x

            refused("rank 1 has no residues", lambda x: x, wrong, numbers(12), exact.Refused, gradients=False)

        self.on_ranks((1, 2), body)

    def test_parallel_modules_of_dtensors_are_the_plain_one(self):
        def body(mesh):
            model = network()
            parts = parallelize_module(copy.deepcopy(model), mesh["tp"], {"0": ColwiseParallel(), "2": RowwiseParallel()})
            assert "gradient of parameter 0.weight" in same(model, parts, numbers(4, 8)).compared
            wrong = parallelize_module(copy.deepcopy(model), mesh["tp"], {"0": ColwiseParallel(), "2": RowwiseParallel()})
            with torch.no_grad():
                wrong[2].register_forward_hook(lambda module, inputs, output: output * (1 + 1e-15))
            different(model, wrong, numbers(4, 8), "output")

        self.on_ranks((1, 2), body)

    def test_data_parallel_modules_are_the_plain_one(self):
        def body(mesh):
            model = network()
            same(model, nn.parallel.DistributedDataParallel(copy.deepcopy(model)), numbers(4, 8))
            shards = copy.deepcopy(model)
            for layer in (shards[0], shards[2]):
                fully_shard(layer, mesh=mesh["dp"])
            same(model, fully_shard(shards, mesh=mesh["dp"]), numbers(4, 8))
            columns = fully_shard(copy.deepcopy(model), mesh=mesh["dp"], shard_placement_fn=lambda p: Shard(p.dim() - 1))
            same(model, columns, numbers(4, 8))

        self.on_ranks((2, 1), body)

    def test_a_gradient_that_is_not_averaged_is_refuted(self):
        def body(mesh):
            model = network()
            shards = fully_shard(copy.deepcopy(model), mesh=mesh["dp"])
            shards.set_gradient_divide_factor(1.0)
            shards.set_force_sum_reduction_for_comms(True)
            different(model, shards, numbers(4, 8), "gradient of parameter 0.weight")

        self.on_ranks((2, 1), body)


if __name__ == "__main__":
    main()
