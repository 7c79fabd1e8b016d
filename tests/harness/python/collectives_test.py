# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Collectives of torch.distributed: what each rank puts in and gets.

Usage: collectives_test.py SOURCE_DIR PARITY RECORDER_LIBRARY
"""
import sys
import unittest

from on_ranks import RanksTest, numbers
from recorded import Trace

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as functional
from torch.distributed.distributed_c10d import _coalescing_manager
from torch.distributed.fsdp import fully_shard
from torch.nn.parallel import DistributedDataParallel

import parity

COLLECTIVES = {"tensors": [{}], "operators": [{"names": ["comm"]}]}

class CollectivesTest(RanksTest):
    def record(self, *arguments, **options):
        return parity.record(*arguments, path=self.path, capture=COLLECTIVES, **options)

    def tensors(self):
        """(rank, name) -> value of the collectives of update 1."""
        found = {}
        for rank in range(2):
            place = self.path if rank == 0 else self.path.with_name("trace.rank1.h5")
            for (step, _, name), value in Trace(place).tensors.items():
                if step == 1 and name.startswith("comm@"):
                    found[rank, name.split(":", 1)[1].removesuffix(f"#{rank}")] = value
        return found

    def test_each_kind_has_what_ranks_put_in_and_get(self):
        def body(mesh):
            group, rank = mesh["tp"].get_group(), dist.get_rank()
            with self.record() as rec:
                value = numbers(4) + rank
                dist.all_reduce(value, group=group)
                dist.broadcast(numbers(2) + rank, 1, group=group)
                dist.all_gather_into_tensor(torch.empty(6), numbers(3) + rank, group=group)
                dist.reduce_scatter_tensor(torch.empty(1), numbers(2) + rank, group=group)
                dist.all_to_all_single(torch.empty(2), numbers(2) + rank, group=group)
                functional.all_reduce(numbers(5) + rank, "sum", group)
                rec.step()

        self.on_ranks((1, 2), body)
        found = self.tensors()
        over = f"over {self.group(found)} of ranks 0, 1"
        self.assertEqual(found[0, f"broadcast {over}:out.received"].tolist(), (numbers(2) + 1).tolist())
        self.assertNotIn((0, f"broadcast {over}:in.sent"), found)
        self.assertEqual(found[1, f"broadcast {over}:in.sent"].tolist(), (numbers(2) + 1).tolist())
        gathered = torch.cat([numbers(3), numbers(3) + 1])
        self.assertEqual(found[1, f"all_gather {over}:out.received"].tolist(), gathered.tolist())
        for rank in range(2):
            scattered = (2 * numbers(2) + 1)[rank : rank + 1]
            self.assertEqual(found[rank, f"reduce_scatter {over}:out.received"].tolist(), scattered.tolist())
            exchanged = [numbers(2)[rank].item(), numbers(2)[rank].item() + 1]
            self.assertEqual(found[rank, f"all_to_all {over}:out.received"].tolist(), exchanged)

    def received(self):
        """rank -> the values that it got in update 1, in the order of the calls."""
        got = {}
        for rank in range(2):
            place = self.path if rank == 0 else self.path.with_name("trace.rank1.h5")
            found = Trace(place).tensors.items()
            got[rank] = [value.tolist() for (step, _, name), value in sorted(found, key=lambda one: one[0][2])
                         if step == 1 and "out.received" in name]
        return got

    @staticmethod
    def group(found):
        return next(name for _, name in found if name.startswith("all_gather")).split(" over ")[1].split(" of ")[0]

    def test_functional_collectives_are_read_when_they_have_ended(self):
        def body(mesh):
            with self.record() as rec:
                functional.all_reduce(numbers(5) + dist.get_rank(), "sum", mesh["tp"])
                rec.step()

        self.on_ranks((1, 2), body)
        received = {rank: value for (rank, name), value in self.tensors().items() if name.endswith("out.received")}
        self.assertEqual({rank: value.tolist() for rank, value in received.items()},
                         dict.fromkeys((0, 1), (2 * numbers(5) + 1).tolist()))

    def test_messages_are_read_when_they_are_used(self):
        def body(mesh):
            with self.record() as rec:
                value = numbers(4)
                if dist.get_rank() == 0:
                    dist.isend(value, 1).wait()
                else:
                    landed = torch.zeros(4)
                    waiting = dist.irecv(landed, 0)
                    waiting.wait()
                    landed.mul_(2)
                rec.step()

        self.on_ranks((1, 2), body)
        found = {(rank, name.split(" ")[0], name.split(":")[1]): value for (rank, name), value in self.tensors().items()}
        self.assertEqual(found[0, "send", "in.sent"].tolist(), numbers(4).tolist())
        self.assertEqual(found[1, "receive", "out.received"].tolist(), numbers(4).tolist())

    def test_only_the_root_of_a_gather_gets_something(self):
        def body(mesh):
            rank = dist.get_rank()
            with self.record() as rec:
                dist.gather(numbers(2) + rank, [torch.empty(2), torch.empty(2)] if rank == 0 else None, 0)
                part = torch.empty(2)
                dist.scatter(part, [numbers(2), numbers(2) + 5] if rank == 0 else None, 0)
                rec.step()

        self.on_ranks((1, 2), body)
        gathered = torch.cat([numbers(2), numbers(2) + 1]).view(torch.uint8).tolist()
        self.assertEqual(self.received(), {0: [gathered, numbers(2).tolist()], 1: [(numbers(2) + 5).tolist()]})

    def test_two_groups_may_be_used_in_different_orders(self):
        def body(mesh):
            first, second, rank = mesh["tp"].get_group(), dist.new_group([0, 1]), dist.get_rank()
            with self.record() as rec:
                values = [numbers(4) + rank, numbers(3) + rank]
                works = {at: dist.all_reduce(values[at], group=(first, second)[at], async_op=True)
                         for at in ((0, 1) if rank == 0 else (1, 0))}
                for work in works.values():
                    work.wait()
                torch.stack([values[0][:3], values[1]])
                rec.step()

        self.on_ranks((1, 2), body)
        expected = [(2 * numbers(4) + 1).tolist(), (2 * numbers(3) + 1).tolist()]
        self.assertEqual(self.received(), {0: expected, 1: expected[::-1]})

    def test_ranks_that_receive_before_they_send_are_not_held_up(self):
        def body(mesh):
            rank = dist.get_rank()
            with self.record() as rec:
                landed = torch.zeros(4)
                messages = [dist.P2POp(dist.irecv, landed, 1 - rank), dist.P2POp(dist.isend, numbers(4) + rank, 1 - rank)]
                for work in dist.batch_isend_irecv(messages):
                    work.wait()
                landed.mul_(2)
                rec.step()

        self.assertNotIn("not kept", self.on_ranks((1, 2), body))
        self.assertEqual(self.received(), {0: [(numbers(4) + 1).tolist()], 1: [numbers(4).tolist()]})

    def test_a_collective_of_several_tensors_has_all_of_them(self):
        def body(mesh):
            with self.record() as rec:
                with _coalescing_manager(group=mesh["tp"].get_group()):
                    for size in (2, 3):
                        dist.all_reduce(numbers(size) + dist.get_rank(), group=mesh["tp"].get_group())
                rec.step()

        self.on_ranks((1, 2), body)
        both = torch.cat([2 * numbers(2) + 1, 2 * numbers(3) + 1]).view(torch.uint8).tolist()
        self.assertEqual(self.received(), {0: [both], 1: [both]})

    def test_use_before_the_wait_is_reported_and_not_recorded(self):
        def body(mesh):
            with self.record() as rec:
                if dist.get_rank() == 0:
                    dist.send(numbers(4), 1)
                else:
                    landed = torch.zeros(4)
                    work = dist.irecv(landed, 0)
                    landed.sum()
                    work.wait()
                rec.step()

        said = self.on_ranks((1, 2), body)
        self.assertIn("uses what receive over world of ranks 0, 1 brings before it has waited for it", said)
        self.assertEqual(self.received(), {0: [], 1: []})

    def test_a_message_that_nobody_waits_for_is_reported(self):
        def body(mesh):
            with self.record() as rec:
                if dist.get_rank() == 0:
                    dist.send(numbers(4), 1)
                else:
                    work = dist.irecv(torch.zeros(4), 0)
                rec.step()
                if dist.get_rank() == 1:
                    work.wait()

        self.assertIn("no wait for receive over world of ranks 0, 1", self.on_ranks((1, 2), body))

    def test_other_parts_of_a_buffer_may_be_used_before_the_wait(self):
        def body(mesh):
            with self.record() as rec:
                buffer = torch.zeros(8)
                if dist.get_rank() == 0:
                    dist.send(numbers(4), 1)
                else:
                    work = dist.irecv(buffer[:4], 0)
                    buffer[4:].add_(1)
                    work.wait()
                    buffer.mul_(2)
                rec.step()

        self.assertNotIn("not kept", self.on_ranks((1, 2), body))
        self.assertEqual(self.received(), {0: [], 1: [numbers(4).tolist()]})

    def test_ddp_and_fully_shard_train_the_same_and_are_seen(self):
        def body(mesh):
            torch.manual_seed(3)
            for wrap in (DistributedDataParallel, fully_shard):
                ends = []
                for captured in (False, True):
                    model = torch.nn.Linear(4, 4)
                    model.load_state_dict({"weight": numbers(4, 4) / 99, "bias": numbers(4) / 99})
                    model = wrap(model)
                    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
                    path = self.folder / f"{wrap.__name__}{captured}.h5"
                    with parity.record(model, optimizer, path=path, capture=COLLECTIVES if captured else {}) as rec:
                        for _ in range(2):
                            loss = model(numbers(2, 4) + dist.get_rank()).square().mean()
                            loss.backward()
                            optimizer.step()
                            optimizer.zero_grad()
                            rec.step(loss=loss)
                    parameters = [p.full_tensor() if hasattr(p, "full_tensor") else p for p in model.parameters()]
                    ends.append([p.detach().clone() for p in parameters])
                assert all(torch.equal(a, b) for a, b in zip(*ends, strict=True)), wrap

        self.on_ranks((2, 1), body)
        for wrap, kinds in (("DistributedDataParallel", {"all_reduce"}), ("fully_shard", {"all_gather", "reduce_scatter"})):
            names = Trace(self.folder / f"{wrap}True.h5").tensors
            seen = {name.split(":")[1].split(" ")[0] for _, _, name in names if name.startswith("comm@")}
            self.assertLessEqual(kinds, seen, wrap)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
