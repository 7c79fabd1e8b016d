// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// The served weights survive whatever happens to a push.
#include <gmock/gmock.h>
#include <unistd.h>

#include "tests/reference/rl/weight_sync/served_model.hpp"

namespace parity::reference {
namespace {

using testing::Each;
using testing::HasSubstr;

/// Ranks that train and serve, serve version 1, and have trained version 2.
class AfterOneVersion {
 public:
  AfterOneVersion(Group& world, PushMethod method)
      : trainer_(config(world), std::shared_ptr<Group>(&world, [](Group*) {})),
        first_(config(world), 1),
        second_(config(world), 2),
        served_(config(world), world, 2, torch::kBFloat16),
        sync({trainer_.parameters()}, {served_.tensors().parameters},
             std::shared_ptr<Group>(&world, [](Group*) {}), method, torch::kBFloat16, 64) {
    first_.write_to(trainer_.parameters());
    sync.push(1);
    sync.pull(1);
    second_.write_to(trainer_.parameters());
  }

  void require_first() const {
    first_.require_in(served_.tensors().parameters, torch::kFloat32);
    require(sync.version() == 1, "another version");
  }
  void require_second() const {
    second_.require_in(served_.tensors().parameters, torch::kFloat32);
    require(sync.version() == 2, "another version");
  }

 private:
  static RunConfig config(const Group& world) {
    RunConfig config = odd_config();
    config.parallel.dp_shard = world.size();
    return config;
  }
  Trainer trainer_;
  Truth first_, second_;
  ServedModel served_;

 public:
  WeightSync sync;
};

template <class Act>
std::string complaint_of(const Act& act) {
  try {
    act();
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

class FailuresTest : public RanksTest, public testing::WithParamInterface<PushMethod> {};

TEST_P(FailuresTest, PushAbortedByOneRank_KeepsOldVersionNextWorks) {
  const auto complaints = run_ranks(2, [](Group& world) {
    AfterOneVersion ranks(world, GetParam());
    int64_t steps = 0;
    ranks.sync.watch([&](int64_t done, int64_t all) {
      steps = done;
      require(all > 5, "too few steps for this test");
      if (done == 4 && world.rank() == 1)
        throw std::runtime_error("planted");
    });
    const std::string words = complaint_of([&] { ranks.sync.push(2); });
    require(
        words ==
            "the push of version 2 was interrupted (rank 1: planted); version 1 is still served, push again",
        "other words: " + words);
    require(steps == 4, "not half-way");
    ranks.require_first();
    require(complaint_of([&] { ranks.sync.pull(2); }).starts_with("that version is not staged"), "pulled");
    ranks.require_first();
    ranks.sync.watch({});
    ranks.sync.push(2);
    ranks.require_first();
    ranks.sync.pull(2);
    ranks.require_second();
    world.barrier();
  });
  EXPECT_THAT(complaints, Each(""));
}

TEST_P(FailuresTest, RankDyingInPush_KeepsTheServedVersion) {
  const auto complaints = run_ranks(4, [](Group& world) {
    AfterOneVersion ranks(world, GetParam());
    ranks.sync.watch([&](int64_t done, int64_t) {
      if (done == 4 && world.rank() == 1)
        ::_exit(1);
    });
    bool lost = false;
    try {
      ranks.sync.push(2);
    } catch (const PeerLost&) {
      lost = true;
    }
    require(lost, "nobody is missed");
    ranks.require_first();
    try {
      ranks.sync.pull(2);
    } catch (const std::exception&) {
      lost = true;
    }
    ranks.require_first();
  });
  for (size_t rank = 0; rank < 4; ++rank)
    EXPECT_EQ(complaints[rank], rank == 1 ? "died" : "");
}

TEST_P(FailuresTest, RanksAtDifferentVersionsSayWhich) {
  const auto complaints = run_ranks(2, [](Group& world) {
    AfterOneVersion ranks(world, GetParam());
    const std::string pushed = complaint_of([&] { ranks.sync.push(2 + world.rank()); });
    require(pushed.starts_with("rank 1 pushes version 3 and rank 0 version 2 "), pushed);
    const std::string negative = complaint_of([&] { ranks.sync.push(-1); });
    require(negative.starts_with("rank 0 pushes version -1"), negative);
    ranks.sync.push(2);
    const std::string pulled = complaint_of([&] { ranks.sync.pull(2 - world.rank()); });
    require(
        pulled.starts_with("the ranks are at different versions (on rank 0 version 2 is requested, version 2 "
                           "is staged and version 1 is served, on rank 1 version 1 is requested, version 2 "),
        pulled);
    const std::string later = complaint_of([&] { ranks.sync.pull(3); });
    require(later ==
                "that version is not staged (version 3 is requested, version 2 is staged and version 1 is "
                "served); push it first",
            later);
    ranks.require_first();
    ranks.sync.pull(2);
    ranks.require_second();
    require(complaint_of([&] { ranks.sync.pull(2); }) ==
                "that version is not staged (version 2 is requested, no version is staged and version 2 is "
                "served); push it first",
            "pulled twice");
    world.barrier();
  });
  EXPECT_THAT(complaints, Each(""));
}

INSTANTIATE_TEST_SUITE_P(Methods, FailuresTest, testing::Values(PushMethod::direct, PushMethod::gathered),
                         [](const testing::TestParamInfo<PushMethod>& tested) {
                           return std::string(name_of(tested.param));
                         });

}  // namespace
}  // namespace parity::reference
