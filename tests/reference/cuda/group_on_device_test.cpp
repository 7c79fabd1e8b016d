// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Collectives of tensors on a device, whose backend has no tags, next to those of the CPU.
#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "tests/support/devices/foreign_device.hpp"
#include "tests/support/ranks.hpp"

namespace parity::reference {
namespace {

using testing::Each;
using testing::HasSubstr;

class GroupOnDeviceTest : public RanksTest {
 protected:
  Device device(int64_t /*rank*/) const override { return foreign_device(); }
};

void expect(const torch::Tensor& actual, const torch::Tensor& expected) {
  if (actual.is_cpu() || !actual.cpu().equal(expected))
    throw std::runtime_error("unexpected " + std::string(actual.dtype().name()) + " tensor on " +
                             actual.device().str() + " of sum " +
                             std::to_string(actual.cpu().sum().item<double>()));
}

torch::Tensor there(const torch::Tensor& x) {
  return x.to(foreign_device().place);
}

TEST_F(GroupOnDeviceTest, Collectives_AreRightInEachDtypeAndCounted) {
  EXPECT_THAT(run_ranks(2,
                        [](Group& world) {
                          for (const auto dtype :
                               {torch::kFloat32, torch::kFloat64, torch::kInt64, torch::kBFloat16}) {
                            const torch::Tensor base = torch::arange(12, dtype).view({4, 3});
                            const auto mine = [&] { return there(base + world.rank()); };
                            const torch::Tensor sum = mine(), largest = mine(), least = mine(), root = mine();
                            world.all_reduce(sum);
                            expect(sum, base + base + 1);
                            world.all_reduce(largest, Reduction::max);
                            expect(largest, base + 1);
                            world.all_reduce(least, Reduction::min);
                            expect(least, base);
                            expect(world.all_gather(mine()), at::cat({base, base + 1}));
                            expect(world.reduce_scatter(mine()),
                                   (base + base + 1).narrow(0, 2 * world.rank(), 2));
                            world.broadcast(root, 1);
                            expect(root, base + 1);
                          }
                          require(world.traffic().at("world all_reduce").calls == 12, "calls");
                          require(foreign_collectives() > 0, "collectives went another way");
                        }),
              Each(""));
}

TEST_F(GroupOnDeviceTest, TensorsOfTheCpuGoTheirOwnWayInTheSameGroup) {
  EXPECT_THAT(run_ranks(2,
                        [](Group& world) {
                          const torch::Tensor one = torch::ones({3});
                          world.all_reduce(one);
                          require(one.equal(torch::full({3}, 2.0)) && foreign_collectives() == 0, "the sum");
                          world.barrier();
                          require(foreign_collectives() == 0, "a barrier is the CPU's");
                        }),
              Each(""));
}

TEST_F(GroupOnDeviceTest, AllToAll_UnevenRows_ReachTheirRanks) {
  EXPECT_THAT(run_ranks(2,
                        [](Group& world) {
                          const bool first = world.rank() == 0;
                          const torch::Tensor zero = torch::arange(12, torch::kFloat32).view({4, 3}),
                                              one = zero + 100;
                          const torch::Tensor got = world.all_to_all(
                              there(first ? zero : one),
                              first ? std::vector<int64_t>{1, 3} : std::vector<int64_t>{2, 2},
                              first ? std::vector<int64_t>{1, 2} : std::vector<int64_t>{3, 2});
                          expect(got, first ? at::cat({zero.narrow(0, 0, 1), one.narrow(0, 0, 2)})
                                            : at::cat({zero.narrow(0, 1, 3), one.narrow(0, 2, 2)}));
                        }),
              Each(""));
}

TEST_F(GroupOnDeviceTest, Messages_MatchTheirTagWithoutBlockingSends) {
  EXPECT_THAT(run_ranks(2,
                        [](Group& world) {
                          const int64_t other = 1 - world.rank();
                          const auto letter = [](int64_t rank, int64_t tag) {
                            return torch::full({(1 << 18) + tag}, 10 * rank + tag, torch::kFloat32);
                          };
                          std::vector<PendingSend> sends;
                          for (const int64_t tag : {1, 2, 3, 2})
                            sends.push_back(world.start_send(there(letter(world.rank(), tag)), other, tag));
                          for (const int64_t tag : {3, 2, 1, 2}) {
                            const torch::Tensor got = there(torch::empty({(1 << 18) + tag}));
                            world.receive(got, other, tag);
                            expect(got, letter(other, tag));
                          }
                          for (PendingSend& send : sends)
                            send.wait();
                          require(world.traffic().at("world send").calls == 4, "calls");
                        }),
              Each(""));
}

TEST_F(GroupOnDeviceTest, MessagesOfOneTag_ArriveInSendingOrder) {
  EXPECT_THAT(run_ranks(2,
                        [](Group& world) {
                          const auto number = [](int64_t n) { return torch::full({4}, n, torch::kInt64); };
                          if (world.rank() == 0) {
                            for (const auto& [n, tag] : {std::pair{1, 7}, {2, 7}, {3, 8}, {4, 7}})
                              world.send(there(number(n)), 1, tag);
                            return;
                          }
                          for (const auto& [n, tag] : {std::pair{3, 8}, {1, 7}, {2, 7}, {4, 7}}) {
                            const torch::Tensor got = there(number(0));
                            world.receive(got, 0, tag);
                            expect(got, number(n));
                          }
                        }),
              Each(""));
}

TEST_F(GroupOnDeviceTest, AMessageOfAnotherLengthIsAnError) {
  const std::vector<std::string> complaints = run_ranks(2, [](Group& world) {
    if (world.rank() == 0)
      world.send(there(torch::zeros({4})), 1, 5);
    else
      world.receive(there(torch::zeros({3})), 0, 5);
  });
  EXPECT_THAT(complaints.at(1),
              HasSubstr("a message of 16 bytes with tag 5 from rank 0 where 12 are expected"));
}

TEST_F(GroupOnDeviceTest, EndedRank_IsReportedByOthersWithCollective) {
  expect_an_end_is_noticed();
}

TEST_F(GroupOnDeviceTest, TheWatcherIsToldOfWaitingForAMessage) {
  EXPECT_THAT(run_ranks(2,
                        [](Group& world) {
                          std::vector<std::string> told;
                          world.watch([&](int64_t, std::string_view what) { told.emplace_back(what); });
                          if (world.rank() == 0)
                            world.send(there(torch::ones({2})), 1);
                          else
                            world.receive(there(torch::ones({2})), 0);
                          const std::string what =
                              world.rank() == 0 ? "send over world" : "receive over world";
                          require(told.size() >= 2 && told.front() == what && told.back().empty(),
                                  "what the watcher was told");
                        }),
              Each(""));
}

}  // namespace
}  // namespace parity::reference
