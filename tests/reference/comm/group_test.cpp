// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/comm/group.hpp"

#include <dlfcn.h>
#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "reference/comm/gloo.hpp"
#include "tests/support/ranks.hpp"

namespace parity::reference {
namespace {

using testing::AllOf;
using testing::Each;
using testing::HasSubstr;

class GroupTest : public RanksTest {
 protected:
  /// A process group of a program that embeds the trainer, between the same ranks.
  std::shared_ptr<Group> over_another(const Group& world, std::chrono::milliseconds timeout) const {
    Job job;
    job.rank = world.rank();
    job.world_size = world.size();
    job.file = folder / "theirs";
    const auto store = make_store(job, std::chrono::seconds(30));
    return Group::over(make_gloo(store, job.rank, job.world_size, true, timeout), store);
  }
};

void expect(const torch::Tensor& actual, const torch::Tensor& expected) {
  if (!actual.equal(expected))
    throw std::runtime_error("unexpected " + std::string(actual.dtype().name()) + " tensor: " +
                             actual.toString() + " of sum " + std::to_string(actual.sum().item<double>()));
}

torch::Tensor of_rank(const Group& group, torch::ScalarType dtype, int64_t rows = 4) {
  return torch::arange(rows * 3, dtype).view({rows, 3}) + group.rank();
}

std::string file_of_symbol(const char* name) {
  Dl_info where{};
  return dladdr(dlsym(RTLD_DEFAULT, name), &where) != 0 ? where.dli_fname : "";
}

TEST(GlooThreadTest, OfThisProgram_WaitsForEventsInItsFunctionRatherThanGlibcs) {
  EXPECT_THAT(file_of_symbol("epoll_wait"), HasSubstr("reference_comm_test"));
  EXPECT_THAT(file_of_symbol("epoll_pwait"), HasSubstr("libc.so"));
}

TEST_F(GroupTest, CollectivesDoWhatTheirNamesSayInEveryDtype) {
  EXPECT_THAT(run_ranks(2,
                        [](Group& world) {
                          for (const auto dtype :
                               {torch::kFloat32, torch::kFloat64, torch::kInt64, torch::kBFloat16}) {
                            const torch::Tensor base = torch::arange(12, dtype).view({4, 3});
                            torch::Tensor sum = of_rank(world, dtype);
                            world.all_reduce(sum);
                            expect(sum, base + base + 1);
                            torch::Tensor largest = of_rank(world, dtype);
                            world.all_reduce(largest, Reduction::max);
                            expect(largest, base + 1);
                            expect(world.all_gather(of_rank(world, dtype)), at::cat({base, base + 1}));
                            expect(world.reduce_scatter(of_rank(world, dtype)),
                                   (base + base + 1).narrow(0, 2 * world.rank(), 2));
                            torch::Tensor root = of_rank(world, dtype);
                            world.broadcast(root, 1);
                            expect(root, base + 1);
                          }
                        }),
              Each(""));
}

TEST_F(GroupTest, RowsGoToTheRanksTheyAreMeantFor) {
  EXPECT_THAT(run_ranks(2,
                        [](Group& world) {
                          // Rank 0 keeps 1 row and sends 3, rank 1 sends 2 and keeps 2.
                          const bool first = world.rank() == 0;
                          const torch::Tensor mine = of_rank(world, torch::kFloat32) + 100 * world.rank();
                          const torch::Tensor got = world.all_to_all(
                              mine, first ? std::vector<int64_t>{1, 3} : std::vector<int64_t>{2, 2},
                              first ? std::vector<int64_t>{1, 2} : std::vector<int64_t>{3, 2});
                          const torch::Tensor zero = torch::arange(12, torch::kFloat32).view({4, 3}),
                                              one = zero + 101;
                          expect(got, first ? at::cat({zero.narrow(0, 0, 1), one.narrow(0, 0, 2)})
                                            : at::cat({zero.narrow(0, 1, 3), one.narrow(0, 2, 2)}));
                          torch::Tensor letter = torch::full({3}, 7.0 + static_cast<double>(world.rank()));
                          if (first)
                            world.send(letter, 1);
                          else
                            world.receive(letter, 0);
                          expect(letter, torch::full({3}, 7.0));
                        }),
              Each(""));
}

TEST_F(GroupTest, Messages_MatchTheirTagWithoutBlockingSends) {
  EXPECT_THAT(run_ranks(2,
                        [](Group& world) {
                          const int64_t other = 1 - world.rank();
                          const auto letter = [](int64_t rank, int64_t tag) {
                            return torch::full({1 << 18}, 10 * rank + tag, torch::kFloat32);
                          };
                          std::vector<PendingSend> sends;
                          for (const int64_t tag : {1, 2, 3})
                            sends.push_back(world.start_send(letter(world.rank(), tag), other, tag));
                          for (const int64_t tag : {3, 1, 2}) {
                            const torch::Tensor got = torch::empty({1 << 18});
                            world.receive(got, other, tag);
                            expect(got, letter(other, tag));
                          }
                          for (PendingSend& send : sends)
                            send.wait();
                          require(world.traffic().at("world send").calls == 3, "calls");
                          require(world.traffic().at("world send").bytes == 3 << 20, "bytes");
                        }),
              Each(""));
}

TEST_F(GroupTest, AMessageThatNobodyTakesNamesItself) {
  const std::vector<std::string> complaints = run_ranks(2, [](Group& world) {
    world.barrier();  // both are connected
    if (world.rank() == 1)
      throw std::runtime_error("planted");
    world.send(torch::zeros({1 << 18}), 1);
  });
  EXPECT_EQ(complaints.at(1), "planted");
  EXPECT_THAT(complaints.at(0), HasSubstr("collective 2, send over world as rank 0 of 2, did not end: "));
}

TEST_F(GroupTest, SubgroupsAreOfTheirMembersOnly) {
  EXPECT_THAT(run_ranks(4,
                        [](Group& world) {
                          const int64_t even = world.rank() % 2;
                          const auto half = world.subgroup("parity", {even, even + 2});
                          torch::Tensor rank = torch::full({1}, world.rank(), torch::kInt64);
                          half->all_reduce(rank);
                          expect(rank, torch::full({1}, 2 + 2 * even, torch::kInt64));
                          const auto alone = world.subgroup("alone", {world.rank()});
                          alone->all_reduce(rank);
                          expect(rank, torch::full({1}, 2 + 2 * even, torch::kInt64));
                          require(half->rank() == world.rank() / 2 && half->size() == 2, "place in the half");
                        }),
              Each(""));
}

TEST_F(GroupTest, CallsAndBytesAreCounted) {
  EXPECT_THAT(run_ranks(2,
                        [](Group& world) {
                          torch::Tensor floats = torch::zeros({6});
                          world.all_reduce(floats);
                          world.all_reduce(floats);
                          world.subgroup("tp", {0, 1})->all_gather(torch::zeros({3}, torch::kFloat64));
                          require(world.traffic().at("world all_reduce").calls == 2, "calls");
                          require(world.traffic().at("world all_reduce").bytes == 48, "bytes");
                          require(world.traffic().at("tp all_gather").bytes == 24, "bytes of a subgroup");
                          require(world.collectives() == 3, "collectives");
                        }),
              Each(""));
}

TEST_F(GroupTest, EndedRank_IsReportedByOthersWithCollective) {
  expect_an_end_is_noticed();
}

TEST_F(GroupTest, ARankThatDoesNotComeIsNamedByTheTimeLimit) {
  const std::vector<std::string> complaints = run_ranks(
      2,
      [](Group& world) {
        torch::Tensor one = torch::ones({1});
        if (world.rank() == 1)
          ::sleep(3);
        world.all_reduce(one);
      },
      std::chrono::seconds(1));
  EXPECT_THAT(complaints.at(0), AllOf(HasSubstr("collective 1, all_reduce"), HasSubstr("did not end")));
}

TEST_F(GroupTest, ExistingProcessGroup_IsUsedAndSplit) {
  EXPECT_THAT(run_ranks(2,
                        [this](Group& world) {
                          const auto theirs = over_another(world, std::chrono::seconds(30));
                          require(theirs->rank() == world.rank() && theirs->size() == 2, "other ranks");
                          for (const auto& group : {theirs, theirs->subgroup("tp", {0, 1})}) {
                            torch::Tensor sum = of_rank(*group, torch::kFloat64);
                            group->all_reduce(sum);
                            expect(sum, 2 * torch::arange(12, torch::kFloat64).view({4, 3}) + 1);
                          }
                          require(theirs->collectives() == 2 && world.collectives() == 0,
                                  "counted elsewhere");
                          require(world.warnings().empty() && theirs->warnings().size() == 1, "warnings");
                          require(theirs->warnings()[0].find("PARITY_TIMEOUT") != std::string::npos, "which");
                        }),
              Each(""));
}

TEST_F(GroupTest, ItsOwnTimeLimitHoldsAlsoForSmallerOnes) {
  const std::vector<std::string> complaints = run_ranks(2, [this](Group& world) {
    const auto tp = over_another(world, std::chrono::seconds(1))->subgroup("tp", {0, 1});
    torch::Tensor one = torch::ones({1});
    if (world.rank() == 1)
      ::sleep(3);
    tp->all_reduce(one);
  });
  EXPECT_THAT(complaints.at(0),
              AllOf(HasSubstr("collective 1, all_reduce over tp"), HasSubstr("did not end")));
}

TEST_F(GroupTest, AStoreOutOfReachIsSaidWithItsPlace) {
  const Job job = {.rank = 1,
                   .world_size = 2,
                   .local_rank = 1,
                   .file = "",
                   .master_address = "127.0.0.1",
                   .master_port = 1,
                   .store_is_served = true,
                   .attempt = 0,
                   .launcher = "test"};
  try {
    Group::world(job, std::chrono::seconds(1));
    FAIL() << "there is no store";
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(),
                AllOf(HasSubstr("rank 1 cannot reach the store at 127.0.0.1:1"), HasSubstr("MASTER_ADDR")));
  }
}

}  // namespace
}  // namespace parity::reference
