# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Ranks that cannot be joined, die, or disagree: the training goes on, and the trace or its reader says why.

Usage: ranks_test.py SOURCE_DIR PARITY RECORDER_LIBRARY
"""
import json
import os
import sys
import unittest

from on_ranks import RanksTest, numbers
from recorded import Trace

import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor
from torch.nn.parallel import DistributedDataParallel

import parity



class FailingRanksTest(RanksTest):
    def test_what_cannot_be_recorded_is_left_out(self):
        def body(mesh):
            value = DTensor.from_local(numbers(4), mesh["tp"], [Partial("max")], run_check=False)
            with self.record() as rec:
                rec.tensor("forward", "most", value)
                rec.tensor("forward", "other", numbers(2))
                rec.step()

        said = self.on_ranks((1, 2), body)
        self.assertEqual(said.count("tensor most is not recorded"), 2)
        self.expect_joined({"other": numbers(2)})

    def test_contradictions_end_the_recording(self):
        def wrong_shape(mesh):
            return {"value": DTensor.from_local(numbers(3, 2), mesh["tp"], [Shard(0)], run_check=False, shape=(4, 2),
                                                stride=(2, 1))}

        cases = {
            r"tensor x .its placements .* give this rank a part of shape \(2, 2\).*has \(3, 2\)": wrong_shape,
            "name 1 dimensions, but it has 2": lambda mesh: {"value": numbers(2, 2), "dims": "h[tp]"},
            "known: dp, tp": lambda mesh: {"value": numbers(2), "dims": "h[cp]"},
            "give this rank 2 of 4 indices of h=4": lambda mesh: {"value": numbers(3), "dims": "h=4[tp]"},
        }
        for reason, make in cases.items():
            with self.subTest(reason):

                def body(mesh, make=make):
                    with self.record(mesh=mesh) as rec:
                        rec.tensor("forward", "x", **make(mesh))
                        rec.step()

                self.assertRegex(self.on_ranks((1, 2), body), "recording stopped in update 1.*" + reason)
                self.assertTrue(self.path.with_name("trace.h5.partial").exists())

    def test_channels_are_not_reduced(self):
        def body(mesh):
            part = DTensor.from_local(torch.tensor(2.0), mesh["tp"], [Partial()], run_check=False)
            whole = DTensor.from_local(torch.tensor(3.0), mesh["tp"], [Replicate()], run_check=False)
            with self.record() as rec:
                rec.step(loss=whole)
                rec.step(loss=part)

        self.assertIn("give loss.full_tensor()", self.on_ranks((1, 2), body))

    def test_a_rank_may_not_know_a_channel(self):
        """As the first stage of a pipeline, which computes no loss."""

        def body(mesh):
            rank = mesh.get_local_rank("tp")
            with self.record() as rec:
                rec.step(loss=2.5 if rank == 1 else None, tokens=3)

        self.on_ranks((1, 2), body)
        self.assertNotIn("loss", self.complete().channels)
        self.assertEqual(Trace(self.folder / "trace.rank1.h5").channels["loss"], [2.5])
        with parity.record(path=self.folder / "whole.h5") as rec:
            rec.step(loss=2.5, tokens=3)
        rows = json.loads(self.parity("compare", "whole.h5", "trace.h5", "--json", status=1))["channels"]
        self.assertTrue({row["name"]: row["identical"] for row in rows}["loss"])

    def test_ranks_that_disagree_are_named(self):
        def steps(mesh):
            with self.record() as rec:
                for _ in range(2 + mesh.get_local_rank("tp")):
                    rec.step(loss=1.0)

        self.on_ranks((1, 2), steps)
        self.assertIn("ends after step 3; rank 0 ends after step 2", self.parity("compare", "trace.h5", "trace.h5", status=2))

        def names(mesh):
            with self.record(mesh=mesh) as rec:
                rec.tensor("forward", "ab"[mesh.get_local_rank("tp")], numbers(2), dims="h[tp]")
                rec.step()

        self.on_ranks((1, 2), names)
        self.assertIn("those of rank 0 have 2 of its 4 elements", self.parity("compare", "trace.h5", "trace.h5", status=2))

    def test_a_killed_rank_leaves_its_part(self):
        def body(mesh):
            os.environ["PARITY_TIMEOUT"] = "1"
            rec = self.record()
            for step in (1, 2):
                rec.tensor("forward", "x", distribute_tensor(numbers(6), mesh["tp"], [Shard(0)]))
                rec.step(loss=1.0)
                dist.barrier()
                if step == 2 and dist.get_rank() == 1:
                    os._exit(9)
            rec.close()
            os._exit(0)

        said = self.on_ranks((1, 2), body, status=9)
        self.assertRegex(said, "the trace stays partial .*rank 1 wrote no file trace.rank1.h5.*parity join")
        self.assertRegex(self.parity("join", self.folder, status=4),
                         r"2 ranks, last step 2, partial: rank 1 ended after step \d \(trace.rank1.h5.partial\)")
        self.assertIn("agree", self.parity("compare", ".", ".", "--partial"))

    def test_rank_0_may_leave_the_index_to_parity_join(self):
        def body(mesh):
            os.environ["PARITY_JOIN"] = "later"
            if dist.get_rank() == 1:
                dist.barrier()  # until rank 0 has ended its recording
            with self.record() as rec:
                rec.step(loss=1.0)
            if dist.get_rank() == 0:
                dist.barrier()

        self.assertNotIn("partial", self.on_ranks((1, 2), body))
        self.assertFalse(self.path.exists())
        self.assertIn("2 ranks, last step 1, complete", self.parity("join", self.folder))
        self.complete()

    def test_a_rank_that_never_starts_is_not_replaced_by_its_earlier_run(self):
        def both(mesh):
            with self.record() as rec:
                rec.step(loss=1.0)

        def one(mesh):
            os.environ["PARITY_TIMEOUT"] = "1"
            if dist.get_rank() == 0:
                both(mesh)

        self.on_ranks((1, 2), both)
        self.complete()
        self.assertIn("rank 1 wrote no file", self.on_ranks((1, 2), one))
        self.assertFalse(self.path.exists())

    def test_the_twin_of_a_wrapped_model_reduces_its_gradients(self):
        self.assert_twin_reduces(lambda net, wrapper: wrapper)

    def test_the_twin_reduces_below_an_unknown_wrapper(self):
        self.assert_twin_reduces(lambda net, wrapper: net)

    def assert_twin_reduces(self, recorded):
        """The twin's gradients are the mean over ranks, if the recorder gets `recorded(net, wrapper)` as the model."""
        def body(mesh):
            net = torch.nn.Linear(2, 1, bias=False)
            model = DistributedDataParallel(net)
            optimizer = torch.optim.SGD(net.parameters(), lr=1.0)
            with self.record(recorded(net, model), optimizer, twin="float64") as rec:
                loss = model(torch.full((1, 2), dist.get_rank() + 1.0)).sum()
                loss.backward()
                assert net.weight.grad.dtype == torch.float64
                assert net.weight.grad.tolist() == [[1.5, 1.5]], net.weight.grad
                optimizer.step()
                rec.step(loss=loss)

        self.on_ranks((2, 1), body)

    def test_the_twin_refuses_a_group_of_its_own(self):
        def body(mesh):
            net = torch.nn.Linear(2, 1)
            model = DistributedDataParallel(net, process_group=dist.new_group([0, 1]))
            with self.assertRaisesRegex(parity.Error, "a process group of its own"):
                self.record(model, torch.optim.SGD(net.parameters(), lr=1.0), twin="float64")

        self.on_ranks((2, 1), body)

    def data_of(self, model_of, rows_of, inner=False):
        """The law data of two ranks. model_of(net): what trains. rows_of(rank): the first of its two rows. inner: record
        the module below the wrapper."""
        def body(mesh):
            torch.manual_seed(0)
            net = torch.nn.Sequential(torch.nn.Embedding(50, 4), torch.nn.Linear(4, 50))
            model = model_of(net)
            optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
            data = torch.Generator().manual_seed(1)
            with self.record(net if inner else model, optimizer) as rec:
                for _ in range(3):
                    rows, first = torch.randint(0, 50, (4, 8), generator=data), rows_of(dist.get_rank())
                    model(rows[first : first + 2]).square().mean().backward()
                    optimizer.step()
                    optimizer.zero_grad()
                    rec.step()

        self.on_ranks((2, 1), body)
        status = 1 if rows_of(0) == rows_of(1) and model_of is DistributedDataParallel else 0
        laws = json.loads(self.parity("audit", "trace.h5", "--json", status=status))["laws"]
        return next(law for law in laws if law["law"] == "data")

    def test_wrapped_ranks_must_read_other_rows(self):
        for inner in (False, True):
            with self.subTest(inner=inner):
                self.assertEqual(self.data_of(DistributedDataParallel, lambda rank: 2 * rank, inner)["answer"], "holds")
                found = self.data_of(DistributedDataParallel, lambda rank: 0, inner)
                self.assertEqual(found["departures"][0]["sentence"], "rank 1 reads the rows of rank 0")

    def test_ranks_without_a_wrapper_may_read_the_same_rows(self):
        found = self.data_of(lambda net: net, lambda rank: 0)
        self.assertEqual(found["answer"], "holds")
        self.assertIn("ranks 0, 1 read the same rows, and nothing that was recorded shows", "".join(found["notes"]))

    def test_backward_passes_without_a_reduction_count(self):
        """Parameters of fully_shard get a gradient in the last of the three passes alone."""
        def body(mesh):
            model = torch.nn.Linear(4, 4)
            fully_shard(model, mesh=mesh["dp"])
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            with self.record(model, optimizer) as rec:
                for micro_batch in range(3):
                    model.set_requires_gradient_sync(micro_batch == 2)
                    model(torch.ones(2, 4)).sum().backward()
                optimizer.step()
                rec.step()

        self.on_ranks((2, 1), body)
        self.assertEqual(self.complete().provenance["recipe"]["micro_batches"], 3)

    def test_statistics_of_a_rank_are_its_own(self):
        """A running mean is that of a rank's batches: ranks that differ are no finding."""

        def body(mesh):
            torch.manual_seed(0)
            model = torch.nn.parallel.DistributedDataParallel(torch.nn.BatchNorm1d(3))
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            with self.record(model, optimizer) as rec:
                torch.manual_seed(dist.get_rank())
                model(torch.randn(8, 3)).square().sum().backward()
                optimizer.step()
                rec.step()

        self.on_ranks((1, 2), body)
        names = self.complete().names(1, "param")
        self.assertEqual(names, {"weight", "bias", "running_mean#0", "running_var#0", "num_batches_tracked#0"})
        self.assertIn("agree", self.parity("compare", "trace.h5", "trace.h5"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
