// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Generators on ranks of their own, against the same generators on the trainer's ranks.
#include <numeric>

#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "harness/base/json/json.hpp"
#include "reference/rl/controller.hpp"
#include "reference/rl/serving/serving_rank.hpp"
#include "reference/train/step/trainer.hpp"
#include "tests/reference/rl/rollouts.hpp"
#include "tests/support/ranks.hpp"

namespace parity::reference {
namespace {
using testing::Each;
using testing::HasSubstr;

constexpr int updates = 4;

class DisjointRanksTest : public RanksTest {
 protected:
  using Change = std::function<void(RunConfig&)>;

  static RunConfig policy(const Change& change) {
    RunConfig config = policy_config();
    config.lr.base = 0.01;
    config.rl.max_new_tokens = 3;
    config.rl.group_size = 1;
    config.rl.advantage = AdvantageRule::sample_std;  // the reward itself: no group without a gradient
    change(config);
    return config;
  }

  /// Returns the group of the ranks that train, which calls it.
  static std::shared_ptr<Group> trainers(const RunConfig& config, const Group& all) {
    std::vector<int64_t> ranks(static_cast<size_t>(config.parallel.ranks()));
    std::iota(ranks.begin(), ranks.end(), int64_t{0});
    return all.subgroup("trainer", ranks);
  }

  static Json numbers_of(const StepResult& result) {
    const PolicyResult& policy = *result.policy;
    return {result.loss,
            result.grad_norm,
            policy.rollout_digest,
            policy.metrics.ratio_mean,
            policy.reward_mean,
            policy.version_lag,
            policy.metrics.logprob_diff_max,
            result.update_norm,
            policy.metrics.logprobs_equal};
  }

  /// Trains on all ranks of a run, with a gradient at each update. \return the numbers of each update on rank
  /// 0
  Json train(const RunConfig& config) {
    const std::filesystem::path file = folder / "numbers.json";
    const std::vector<std::string> complaints = run_ranks(config.ranks(), [&](Group& world) {
      if (world.rank() >= config.parallel.ranks()) {
        const Serving serve = serve_policy(config, held(world));
        for (int64_t update = 1; update <= updates; ++update)
          serve(update);
        return;
      }
      Trainer trainer(config, trainers(config, world));
      Controller controller(trainer, held(world));
      Json all = Json::array();
      for (int update = 0; update < updates; ++update) {
        const StepResult result = controller.update();
        require(result.grad_norm > 0, "an update without a gradient");
        all.push_back(numbers_of(result));
      }
      if (world.rank() == 0)
        write_file(file, all.dump());
    });
    EXPECT_THAT(complaints, Each(""));
    return Json::parse(read_file(file));
  }

  /// Expects the same bits from as many generators on ranks of their own.
  void expect_same_bits(const Change& change) {
    RunConfig config = policy(change);
    const Json shared = train(config);
    config.rl.generator.ranks = config.parallel.ranks();
    EXPECT_EQ(train(config), shared);
  }
};

TEST_F(DisjointRanksTest, OneAndOne_AreOneProcess) {
  expect_same_bits([](RunConfig&) {});
}

TEST_F(DisjointRanksTest, ShardsPushedToTensorParallel_HaveSharedBits) {
  for (const PushMethod push : {PushMethod::direct, PushMethod::gathered})
    expect_same_bits([&](RunConfig& c) {
      c.parallel.dp_shard = 2;
      c.rl.generator.tp = 2;
      c.rl.push = push;
    });
}

TEST_F(DisjointRanksTest, OtherLayouts_HaveSharedBits) {
  expect_same_bits([](RunConfig& c) { c.parallel.tp = 2; });
  expect_same_bits([](RunConfig& c) { c.parallel.dp_replicate = 2; });
  expect_same_bits([](RunConfig& c) {
    c.parallel.pp = 2;
    c.parallel.pp_microbatches = 2;
    c.rl.push = PushMethod::gathered;
  });
}

TEST_F(DisjointRanksTest, SeldomPushesAndOmissions_HaveSharedBits) {
  expect_same_bits([](RunConfig& c) { c.rl.push_every = 3; });
  expect_same_bits([](RunConfig& c) {
    c.rl.push_omits = {"layers.1.feed_forward.w2.weight"};
    c.rl.generator.dtype = GeneratorPrecision::bfloat16;
  });
}

TEST_F(DisjointRanksTest, OverlappedUpdates_HaveTheBitsOfAWaitingLoop) {
  for (const int64_t staleness : {0, 1, 2})
    expect_same_bits([&](RunConfig& c) {
      c.rl.loop = RolloutLoop::asynchronous;
      c.rl.staleness = staleness;
    });
}

/// With a staleness the generator gets its next weights before the trainer learns, so it works meanwhile.
TEST_F(DisjointRanksTest, Staleness_PushesBeforeLearning) {
  for (const int64_t staleness : {0, 1}) {
    const RunConfig config = policy([&](RunConfig& c) {
      c.rl.generator.ranks = 1;
      c.rl.loop = RolloutLoop::asynchronous;
      c.rl.staleness = staleness;
    });
    const std::vector<std::string> complaints = run_ranks(2, [&](Group& world) {
      if (world.rank() == 1) {
        const Serving serve = serve_policy(config, held(world));
        for (int64_t update = 1; update <= 2; ++update)
          serve(update);
        return;
      }
      Trainer trainer(config, trainers(config, world));
      Controller controller(trainer, held(world));
      controller.update();
      const auto moves = [&world] { return world.traffic().at("world all_to_all").calls; };
      const int64_t before = moves();
      int64_t learning = 0;
      trainer.set_phase_hook([&](trace::Phase phase) {
        if (phase == trace::Phase::grad)
          learning = moves();
      });
      controller.update();
      require(moves() > before, "no push in the second update");
      require((learning > before) == (staleness == 1), "the push is on the other side of learning");
    });
    EXPECT_THAT(complaints, Each("")) << "staleness " << staleness;
  }
}

/// The weights are the trainer's own, so its log probabilities of the tokens are the generator's.
TEST_F(DisjointRanksTest, BatchInvariant_ScoresAreTheGeneratorsBits) {
  const auto shares_equal = [this](PullRule pull) {
    RunConfig config = policy([&](RunConfig& c) {
      c.parallel.dp_shard = 2;
      c.rl.generator.ranks = 1;
      c.rl.pull = pull;
      c.attention.backend = AttentionBackend::tiled;
      c.train.batch_invariant = true;
    });
    std::vector<double> shares;
    for (const Json& update : train(config))
      shares.push_back(update.back());
    return shares;
  };
  EXPECT_THAT(shares_equal(PullRule::newest), Each(1));
  const std::vector<double> stale = shares_equal(PullRule::stale);
  EXPECT_EQ(stale.at(0), 1);
  EXPECT_THAT(std::vector(stale.begin() + 1, stale.end()), Each(testing::Lt(1)));
}

TEST_F(DisjointRanksTest, StalePull_HasOtherBitsFromTheSecondUpdate) {
  RunConfig config = policy([](RunConfig& c) { c.rl.generator.ranks = 1; });
  const Json newest = train(config);
  config.rl.pull = PullRule::stale;
  const Json stale = train(config);
  EXPECT_EQ(stale.at(0), newest.at(0));
  EXPECT_NE(stale.at(1), newest.at(1));
  constexpr size_t version_lag = 5;
  for (const Json& update : stale)
    EXPECT_EQ(update.at(version_lag), 0) << "its stamps are those of the newest version";
}

TEST_F(DisjointRanksTest, ServedVersions_AreThoseThatAreDue) {
  const auto versions = [this](const Change& change) {
    RunConfig config = policy(change);
    config.rl.generator.ranks = 1;
    const std::filesystem::path file = folder / "versions.json";
    EXPECT_THAT(run_ranks(2,
                          [&](Group& world) {
                            if (world.rank() == 0) {
                              Trainer trainer(config, trainers(config, world));
                              Controller controller(trainer, held(world));
                              for (int update = 0; update < updates; ++update)
                                controller.update();
                              return;
                            }
                            const Serving serve = serve_policy(config, held(world));
                            Json versions = Json::array();
                            for (int64_t update = 1; update <= updates; ++update)
                              versions.push_back(serve(update).version);
                            write_file(file, versions.dump());
                          }),
                Each(""));
    return Json::parse(read_file(file)).get<std::vector<int64_t>>();
  };
  EXPECT_THAT(versions([](RunConfig&) {}), testing::ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(versions([](RunConfig& c) { c.rl.push_every = 2; }), testing::ElementsAre(0, 0, 2, 2));
  EXPECT_THAT(versions([](RunConfig& c) {
                c.rl.loop = RolloutLoop::asynchronous;
                c.rl.staleness = 1;
              }),
              testing::ElementsAre(0, 0, 1, 2));
}

/// A rank leaves at its second update; the others report the collective in which they waited for it.
TEST_F(DisjointRanksTest, RankThatLeaves_EndsTheOthers) {
  const RunConfig config = policy([](RunConfig& c) { c.rl.generator.ranks = 1; });
  for (const int64_t leaver : {0, 1}) {
    const std::vector<std::string> complaints = run_ranks(2, [&](Group& world) {
      const auto leave = [&](int64_t update) {
        if (update == 2 && world.rank() == leaver)
          throw std::runtime_error("planted");
      };
      if (world.rank() == 1) {
        const Serving serve = serve_policy(config, held(world));
        for (int64_t update = 1; update <= updates; ++update) {
          leave(update);
          serve(update);
        }
        return;
      }
      Trainer trainer(config, trainers(config, world));
      Controller controller(trainer, held(world));
      for (int64_t update = 1; update <= updates; ++update) {
        leave(update);
        controller.update();
      }
    });
    EXPECT_EQ(complaints.at(static_cast<size_t>(leaver)), "planted");
    EXPECT_THAT(complaints.at(static_cast<size_t>(1 - leaver)), HasSubstr(" over world as rank "));
  }
}

}  // namespace
}  // namespace parity::reference
