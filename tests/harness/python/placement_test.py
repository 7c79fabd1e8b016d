# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Parts of tensors on several ranks: what parity joins has the bits of PyTorch's own full_tensor().

Usage: placement_test.py SOURCE_DIR PARITY RECORDER_LIBRARY
"""
import json
import sys
import types
import unittest

from on_ranks import ALL, RanksTest, numbers
from recorded import Trace

import h5py
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed._composable.replicate import replicate
from torch.distributed.fsdp import FullyShardedDataParallel, ShardingStrategy, fully_shard
from torch.distributed.fsdp.wrap import ModuleWrapPolicy
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor
from torch.distributed.tensor.debug import CommDebugMode
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
from torch.distributed.tensor.placement_types import _StridedShard

import parity
from parity.observe.names import named_parameters
from parity.placement.flat import Run
from parity.placement.layout import Axis


def network():
    torch.manual_seed(5)
    return nn.Sequential(nn.Linear(5, 6), nn.Tanh(), nn.Linear(6, 3))


def two_dimensional(model, mesh):
    parallelize_module(model, mesh["tp"], {"0": ColwiseParallel(), "2": RowwiseParallel()})
    return fully_shard(model, mesh=mesh["dp"])


def hybrid(model, mesh):
    return fully_shard(model, mesh=mesh)


def replicated(model, mesh):
    return replicate(model)


def distributed_data_parallel(model, mesh):
    return nn.parallel.DistributedDataParallel(model)


def whole(value):
    value = value.detach()
    return value.full_tensor() if isinstance(value, DTensor) else value


def clip(model):
    return torch.nn.utils.clip_grad_norm_(model.parameters(), 1e-2)


def clip_by_share(model):
    """Clips by the norm of one gradient, which PyTorch 2.11 leaves as each rank's share; older versions leave any."""
    norm = torch.linalg.vector_norm(model[0].weight.grad)
    assert any(one.is_partial() for one in norm.placements), norm.placements
    torch.nn.utils.clip_grads_with_norm_(model.parameters(), 1e-2, norm)
    return norm


def train_step(model, optimizer, rec, clip=clip):
    model(torch.ones(4, 5)).square().mean().backward()
    norm = clip(model)
    optimizer.step()
    rec.step(loss=1.0)
    return norm


class PlacementTest(RanksTest):
    def test_joined_shards_equal_full_tensor(self):
        layouts = {
            "rows": (numbers(8, 3), [Shard(0), Replicate()]),
            "columns": (numbers(3, 5), [Replicate(), Shard(1)]),
            "both": (numbers(5, 7), [Shard(1), Shard(0)]),
            "uneven": (numbers(7, 2), [Shard(0), Shard(0)]),
            "empty": (numbers(1, 3), [Shard(0), Shard(0)]),
            "whole": (numbers(2, 2), [Replicate(), Replicate()]),
            "strided": (numbers(12, 2), [_StridedShard(0, split_factor=2), Shard(0)]),
            "interleaved": (numbers(12), [_StridedShard(0, split_factor=3), Replicate()]),
            "complex": (torch.complex(numbers(6), numbers(6)), [Shard(0), Replicate()]),
        }

        def body(mesh):
            with self.record() as rec:
                for name, (value, placements) in layouts.items():
                    part = distribute_tensor(value, mesh, placements)
                    if name != "interleaved":  # which PyTorch 2.11 can cut but not put together
                        torch.testing.assert_close(part.full_tensor(), value, rtol=0, atol=0)
                    rec.tensor("forward", name, part)
                term = DTensor.from_local(numbers(4) * (1 + mesh.get_local_rank("tp")), mesh, [Replicate(), Partial()])
                rec.tensor("forward", "terms", term)
                rec.step()

        self.on_ranks((2, 2), body)
        self.expect_joined({name: value for name, (value, _) in layouts.items()} | {"terms": numbers(4) * 3})

    def test_models_are_joined(self):
        """Parameters, gradients and states of each way to shard or to copy a model, with uneven shards."""
        for apply in (two_dimensional, hybrid, replicated, distributed_data_parallel):
            with self.subTest(apply.__name__):

                def body(mesh, apply=apply):
                    model = apply(network(), mesh)
                    optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
                    with self.record(model, optimizer) as rec:
                        train_step(model, optimizer, rec)
                    full = {}
                    for name, one in model.named_parameters():
                        name = name.removeprefix("module.")
                        full[f"grad_clipped/{name}"] = whole(one.grad)
                        full[f"param/{name}"] = whole(one)
                        full[f"optim/exp_avg/{name}"] = whole(optimizer.state[one]["exp_avg"])
                    if dist.get_rank() == 0:
                        torch.save(full, self.folder / "full")

                self.on_ranks((2, 2), body)
                with parity.record(path=self.folder / "whole.h5", capture=ALL) as rec:
                    for place, value in torch.load(self.folder / "full").items():
                        rec.tensor(*place.split("/", 1), value)
                    rec.step()
                said = json.loads(self.parity("compare", "whole.h5", "trace.h5", "--step", 1, "--json", status=1))
                rows = {(row["phase"], row["name"]): row for row in said["tensors"]}
                for place in torch.load(self.folder / "full"):
                    self.assertTrue(rows[tuple(place.split("/", 1))]["identical"], place)

    def test_recording_starts_no_collective(self):
        """The same collectives and the same bits with and without a recorder, and the norm that clipping used."""
        for apply, clipping in ((two_dimensional, clip), (hybrid, clip_by_share)):
            with self.subTest(apply.__name__):

                def body(mesh, apply=apply, clipping=clipping):
                    seen = []
                    for record in (lambda *_: parity.NoRecorder(), self.record):
                        model = apply(network(), mesh)
                        optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
                        with record(model, optimizer) as rec, CommDebugMode() as comm:
                            norm = train_step(model, optimizer, rec, clipping)
                        bits = [one.to_local().detach().clone() for one in model.parameters()]
                        seen.append((dict(comm.get_comm_counts()), bits))
                    (plain, bits), (recorded, again) = seen
                    assert plain and plain == recorded, (plain, recorded)
                    assert all(torch.equal(a, b) for a, b in zip(bits, again, strict=True))
                    torch.save(norm.full_tensor(), self.folder / "norm")

                self.on_ranks((2, 2), body)
                with h5py.File(self.path) as trace:
                    self.assertEqual(trace["channels/grad_norm"][0], torch.load(self.folder / "norm").item())

    def test_flat_vectors_are_joined(self):
        """FullyShardedDataParallel, the older class: runs of parameters that end within a row, and its own clipping."""
        for strategy, limit in ((ShardingStrategy.FULL_SHARD, 1e-2), (ShardingStrategy.SHARD_GRAD_OP, 1e-2),
                                (ShardingStrategy.NO_SHARD, 1e-2), (ShardingStrategy.FULL_SHARD, None)):
            with self.subTest(strategy=strategy, limit=limit):

                def body(mesh, strategy=strategy, limit=limit):
                    ends = []
                    for record in (lambda *_: parity.NoRecorder(), self.record):
                        model = FullyShardedDataParallel(
                            network(), auto_wrap_policy=ModuleWrapPolicy({nn.Linear}), use_orig_params=True,
                            sharding_strategy=strategy, device_id=torch.device("cpu"))
                        optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
                        with record(model, optimizer) as rec:
                            for _ in range(2):
                                optimizer.zero_grad()
                                norm = train_step(model, optimizer, rec,
                                                  (lambda m: m.clip_grad_norm_(limit)) if limit else lambda m: None)
                        ends.append([one.detach().clone() for one in model.parameters()])
                    assert all(torch.equal(a, b) for a, b in zip(*ends, strict=True))
                    with FullyShardedDataParallel.summon_full_params(model):
                        full = {name.replace("_fsdp_wrapped_module.", ""): one.detach().clone()
                                for name, one in model.named_parameters()}
                    if dist.get_rank() == 0:
                        torch.save((full, norm), self.folder / "full")

                said = self.on_ranks((1, 2), body)
                self.assertNotIn("recording stopped", said)
                full, norm = torch.load(self.folder / "full")
                flat = strategy != ShardingStrategy.NO_SHARD
                with parity.record(path=self.folder / "whole.h5", capture=ALL) as rec:
                    rec.step()
                    for name, value in full.items():
                        rec.tensor("param", name, value.flatten() if flat else value)
                    rec.step()
                said = json.loads(self.parity("compare", "whole.h5", "trace.h5", "--step", 2, "--json", status=1))
                rows = {row["name"]: row for row in said["tensors"] if row["phase"] == "param"}
                self.assertEqual({name for name, row in rows.items() if row["identical"]}, set(full))
                if limit:
                    with h5py.File(self.path) as trace:
                        self.assertEqual(trace["channels/grad_norm"][1], norm.item())
                names = {row["name"] for row in said["tensors"] if row["phase"] == "optim"}
                self.assertEqual(names, {f"{key}/{name}" for key in ("exp_avg", "exp_avg_sq", "step") for name in full})

    def test_gradients_of_flat_vectors_are_those_before_clipping(self):
        def body(mesh):
            model = FullyShardedDataParallel(network(), use_orig_params=True, device_id=torch.device("cpu"))
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            with self.record(model, optimizer) as rec:
                norm = train_step(model, optimizer, rec, lambda model: model.clip_grad_norm_(1e-2))
            if dist.get_rank() == 0:
                torch.save(norm, self.folder / "norm")

        self.on_ranks((1, 2), body)
        square = {"grad": 0.0, "grad_clipped": 0.0}
        for name in ("trace.h5", "trace.rank1.h5"):
            for (_, phase, _), value in Trace(self.folder / name).tensors.items():
                if phase in square:
                    square[phase] += value.double().square().sum().item()
        self.assertAlmostEqual(square["grad"] ** 0.5, torch.load(self.folder / "norm").item(), places=6)
        self.assertAlmostEqual(square["grad_clipped"] ** 0.5, 1e-2, places=6)

    def test_flat_vectors_without_names_end_the_recording(self):
        class Empty(nn.Linear):
            """A layer as ZeRO stage 3 leaves it between passes."""

            def __init__(self):
                super().__init__(2, 2)
                self.weight.ds_tensor, self.weight.data = self.weight.data.flatten(), torch.empty(0)

        def flat(mesh):
            return FullyShardedDataParallel(network(), use_orig_params=False, device_id=torch.device("cpu"))

        for make, reason in ((flat, "_flat_param.*use_orig_params=True"), (lambda mesh: Empty(), "use stage 1 or 2")):
            with self.subTest(reason):

                def body(mesh, make=make):
                    model = make(mesh)
                    with self.record(model, torch.optim.SGD(model.parameters(), lr=0.1)) as rec:
                        rec.step()

                self.assertRegex(self.on_ranks((1, 2), body), "trace stays partial .*" + reason)
                self.assertFalse(self.path.exists())

    def test_gathered_parameters_are_not_taken_for_shards(self):
        def body(mesh):
            model = FullyShardedDataParallel(network(), use_orig_params=True, device_id=torch.device("cpu"))
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            with self.record(model, optimizer) as rec:
                model(torch.ones(4, 5)).square().mean().backward()
                optimizer.step()
                with FullyShardedDataParallel.summon_full_params(model):
                    rec.step(loss=1.0)

        self.assertIn("call rec.step() after the optimizer", self.on_ranks((1, 2), body))
        self.assertFalse(self.path.exists())

    def test_faults_change_each_shard(self):
        def train(capture, name):
            def body(mesh):
                model = hybrid(network(), mesh)
                optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
                with parity.record(model, optimizer, path=self.folder / name, capture=capture) as rec:
                    train_step(model, optimizer, rec, clip=lambda model: None)

            self.on_ranks((1, 2), body)

        train(ALL, "trace.h5")
        train(ALL | {"faults": [{"kind": "scale", "phase": "grad", "name": "0.weight", "size": 1.0}]}, "doubled.h5")
        rows = json.loads(self.parity("compare", "trace.h5", "doubled.h5", "--phase", "grad", "--json", status=1))["tensors"]
        self.assertEqual({row["name"]: row["relative_l2"] for row in rows if not row["identical"]}, {"0.weight": 1.0})

    def test_plain_shards_by_dims(self):
        plain = {"pairs": numbers(4, 6), "uneven": numbers(2, 5), "zigzag": numbers(8, 2), "terms": numbers(3),
                 "strided": numbers(8, 3)}

        def body(mesh):
            tp = mesh.get_local_rank("tp")
            dp = mesh.get_local_rank("dp")
            place = {"tp": (tp, 2), "dp": mesh.get_group("dp")}
            with self.record(mesh=mesh) as rec:
                rec.tensor("forward", "pairs", plain["pairs"].chunk(2, 1)[tp].chunk(2)[dp], dims="t[dp] h[tp]")
                rec.tensor("forward", "uneven", plain["uneven"].chunk(2, 1)[tp], dims="t h=5[tp]", mesh=place)
                chunks = plain["zigzag"].chunk(4)
                rec.tensor("forward", "zigzag", torch.cat([chunks[tp], chunks[3 - tp]]), dims="s[tp:zigzag] h")
                rec.tensor("forward", "strided", plain["strided"].unflatten(0, (2, 2, 2))[:, tp].flatten(0, 1),
                           dims="h[tp:stride=2] d")
                rec.tensor("forward", "terms", plain["terms"] * (1 + tp), dims="h[tp:sum]")
                rec.step()

        self.on_ranks((2, 2), body)
        self.expect_joined(plain | {"terms": plain["terms"] * 3})

    def test_outputs_of_ranks_are_joined_if_dims_say_so(self):
        """Rows of the batch on each rank, and what both ranks compute alike, next to one process with the whole batch."""
        batch = torch.randn(6, 5, generator=torch.Generator().manual_seed(2))
        outputs = {"x*": "batch[tp] h", "tail": "h"}

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                torch.manual_seed(5)
                self.x, self.tail = nn.Sequential(nn.Linear(5, 6), nn.Tanh()), nn.Linear(6, 3)

            def forward(self, inputs):
                return self.x(inputs).mean() * self.tail(torch.ones(6)).sum()

        def train(path, rows, **options):
            model = Net()
            optimizer = torch.optim.SGD(model.parameters(), lr=0.0)
            with parity.record(model, optimizer, path=path,
                               capture={"tensors": [{"phases": ["forward", "param"]}], "operators": [{}]}, **options) as rec:
                model(rows).backward()
                optimizer.step()
                rec.step()

        self.on_ranks((1, 2), lambda mesh: train(self.path, batch.chunk(2)[mesh.get_local_rank("tp")], mesh=mesh, outputs=outputs))
        train(self.folder / "whole.h5", batch)
        said = json.loads(self.parity("compare", "whole.h5", "trace.h5", "--json", status=1))
        rows = {row["name"]: row for row in said["tensors"] if "@" not in row["name"]}
        self.assertTrue(rows["x.0.weight"]["identical"])
        rows = {name: row for name, row in rows.items() if row["phase"] == "forward"}
        self.assertEqual(set(rows), {"x", "x.0", "x.1", "tail", "model", "model#0", "model#1"})
        for name in ("x", "x.0", "x.1", "tail"):
            self.assertLess(rows[name]["relative_l2"] or 0.0, 1e-6)
            self.assertEqual(rows[name]["mismatch"], "")

    def test_a_mesh_dimension_of_one_rank_shards_nothing(self):
        with self.record(nn.Linear(3, 2), mesh={"tp": (0, 1)}, dims={"weight": "out[tp] in"}) as rec:
            rec.step()
        self.assertEqual(self.complete().names(0, "param"), {"weight", "bias"})
        self.assertIn("4 tensors agree", self.parity("compare", "trace.h5", "trace.h5"))

    def test_optimizers_state_the_runs_that_they_train(self):
        """As parity.megatron lets the distributed optimizer do."""

        def body(mesh):
            rank = mesh.get_local_rank("tp")
            model = nn.Linear(3, 5, bias=False)
            model.weight.data = numbers(5, 3)
            first, end = ((0, 8), (8, 15))[rank]
            run = nn.Parameter(model.weight.detach().flatten()[first:end].clone())
            run.parity_name, run.parity_run = "weight.flat", Run(15, first, end, Axis("dp", rank, 2))
            run.grad = numbers(15)[first:end].clone()
            optimizer = torch.optim.SGD([run], lr=0.0, momentum=0.5)
            with self.record(model, optimizer) as rec:
                optimizer.step()
                rec.step()

        self.on_ranks((1, 2), body)
        with parity.record(path=self.folder / "whole.h5", capture=ALL) as rec:
            rec.tensor("grad", "weight.flat", numbers(15))
            rec.tensor("optim", "momentum_buffer/weight.flat", numbers(15))
            rec.tensor("optim", "master/weight.flat", numbers(5, 3).flatten())
            rec.step()
        said = self.parity("compare", "whole.h5", "trace.h5", "--step", 1, "--json", status=1)
        rows = {row["name"]: row["identical"] for row in json.loads(said)["tensors"] if row["name"].endswith(".flat")}
        self.assertEqual(rows, dict.fromkeys(("weight.flat", "momentum_buffer/weight.flat", "master/weight.flat"), True))

    def test_parameters_by_dims_and_stages(self):
        """Expert parallelism by hand, and stages of a pipeline that each rank names by a prefix."""

        def body(mesh):
            stage, expert = mesh.get_local_rank("dp"), mesh.get_local_rank("tp")
            part = nn.ParameterDict({"experts": nn.Parameter(numbers(4, 3).chunk(2)[expert].clone())})
            with self.record({f"layers.{stage}": part}, mesh=mesh, dims={"*.experts": "e[tp] h"}) as rec:
                rec.step()

        self.on_ranks((2, 2), body)
        with parity.record({f"layers.{stage}": nn.ParameterDict({"experts": nn.Parameter(numbers(4, 3))})
                            for stage in (0, 1)}, path=self.folder / "whole.h5", capture=ALL) as rec:
            rec.step()
        self.assertIn("4 tensors agree", self.parity("compare", "whole.h5", "trace.h5"))

    def test_names_of_stages(self):
        stages = [nn.ModuleDict({"0": nn.Linear(1, 1, bias=False)}), nn.ModuleDict({"4": nn.Linear(1, 1, bias=False)})]
        for model, names in (({"": stages[1]}, {"4.weight"}), (stages, {"0.weight", "4.weight"}),
                             ({"layers.7": stages[0]["0"]}, {"layers.7.weight"})):
            self.assertEqual({name for name, _ in named_parameters(model)}, names)
        with self.assertRaisesRegex(parity.Error, "two parameters are called 0.weight"):
            self.record([stages[0], nn.ModuleDict({"0": nn.Linear(1, 1)})])

    def test_objects_of_other_libraries(self):
        """Chunks that a local tensor states although its placements lie, and ShardedTensor of Megatron-Core."""
        rows = numbers(5, 2)

        def body(mesh):
            rank = mesh.get_local_rank("tp")
            first, size = ((0, 2), (2, 3))[rank]
            local = rows[first : first + size].clone()
            chunk = types.SimpleNamespace(offsets=torch.Size((first, 0)), sizes=torch.Size((size, 2)))
            local.__create_chunk_list__ = lambda: [chunk]
            lying = DTensor.from_local(local, mesh["tp"], [Shard(0)], run_check=False, shape=rows.shape, stride=(2, 1))
            lying._local_tensor.__create_chunk_list__ = lambda: [chunk]
            sharded = types.SimpleNamespace(data=rows[first : first + size], local_shape=(size, 2), global_shape=(1, 5, 2),
                                            global_offset=(0, first, 0), axis_fragmentations=None)
            with self.record() as rec:
                rec.tensor("forward", "chunks", lying)
                rec.tensor("forward", "sharded", sharded)
                rec.step()

        self.on_ranks((1, 2), body)
        self.expect_joined({"chunks": rows, "sharded": rows[None]})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
