// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "reference/comm/gloo.hpp"
#include "reference/model/parameter.hpp"
#include "reference/train/run/halves.hpp"
#include "reference/train/step/trainer.hpp"
#include "tests/reference/tiny.hpp"
#include "tests/support/ranks.hpp"

namespace parity::reference {
namespace {

using testing::Each;
using testing::HasSubstr;

class ReplicateTest : public RanksTest {
 protected:
  /// Rank r of a world of n trains its share of the rows. The same process also trains all of them in n
  /// micro-batches, which are the ranks' shares.
  static void train_beside_one_process(const RunConfig& config, Group& world, bool same_bits) {
    RunConfig shared = config, alone = config;
    shared.parallel.dp_replicate = world.size();
    alone.data.micro_batches = config.data.micro_batches * world.size();
    Trainer replica(shared, held(world)), whole(alone);
    for (int64_t step = 1; step <= 3; ++step) {
      const StepResult a = update(whole, alone), b = update(replica, shared);
      const auto near = [&](double x, double y) { return same_bits ? x == y : std::abs(x - y) <= 1e-13 * x; };
      require(near(a.loss, b.loss) && near(a.grad_norm, b.grad_norm) && near(a.update_norm, b.update_norm),
              fmt::format("step {}: loss {} and {}, grad_norm {} and {}", step, a.loss, b.loss, a.grad_norm,
                          b.grad_norm));
      require(a.valid_tokens == b.valid_tokens && a.tokens == b.tokens && a.batch_digest == b.batch_digest,
              fmt::format("step {}: other data", step));
      require(a.mask.has_value() == b.mask.has_value(), "mask channels");
      if (a.mask)
        require(a.mask->pairs == b.mask->pairs && a.mask->digest == b.mask->digest &&
                    a.mask->position_digest == b.mask->position_digest,
                "another mask");
    }
  }

  static StepResult update(Trainer& trainer, const RunConfig& config) {
    return config.train.update == UpdateCall::step ? trainer.step()
                                                   : update_by_halves(trainer, config.train.update);
  }

  std::vector<std::string> replicas(int64_t count, const RunConfig& config, bool same_bits) {
    return run_ranks(count, [&](Group& world) { train_beside_one_process(config, world, same_bits); });
  }

  static RunConfig unequal() {
    RunConfig config = tiny_config();
    config.data.ignore_fraction = 0.3;
    return config;
  }
};

TEST_F(ReplicateTest, TwoRanks_HaveTheBitsOfTwoMicroBatches) {
  for (const auto rule :
       {Normalization::global_tokens, Normalization::microbatch_mean, Normalization::gradient_scaling}) {
    RunConfig config = unequal();
    config.loss.normalization = rule;
    EXPECT_THAT(replicas(2, config, true), Each("")) << name_of(rule);
  }
}

TEST_F(ReplicateTest, AlsoStreamedAndByHalves) {
  RunConfig streamed = unequal();
  streamed.loss.normalization = Normalization::gradient_scaling;
  streamed.loss.accumulation = Accumulation::streamed;
  EXPECT_THAT(replicas(2, streamed, true), Each(""));
  RunConfig halves = unequal();
  halves.train.update = UpdateCall::halves;
  EXPECT_THAT(replicas(2, halves, true), Each(""));
}

TEST_F(ReplicateTest, FourRanksAgreeInFloat64ToTheLastBits) {
  RunConfig config = unequal();
  config.dtype = Precision::float64;
  EXPECT_THAT(replicas(4, config, false), Each(""));
}

/// A program that embeds the trainer and has connected its ranks.
TEST_F(ReplicateTest, ExistingProcessGroup_SameBitsWithAWarning) {
  EXPECT_THAT(run_ranks(2,
                        [this](Group& world) {
                          RunConfig config = unequal();
                          config.parallel.dp_replicate = 2;
                          Job job;
                          job.rank = world.rank();
                          job.world_size = 2;
                          job.file = folder / "theirs";
                          const auto store = make_store(job, std::chrono::seconds(30));
                          const auto theirs = make_gloo(store, job.rank, 2, true, std::chrono::seconds(30));
                          Trainer inside(config, Group::over(theirs, store)), ours(config, held(world));
                          for (int step = 0; step < 3; ++step) {
                            const StepResult a = ours.step(), b = inside.step();
                            require(a.loss == b.loss && a.grad_norm == b.grad_norm, "other bits");
                          }
                          require(ours.warnings().empty() && inside.warnings().size() == 1, "warnings");
                        }),
              Each(""));
}

TEST_F(ReplicateTest, MasksAndPositionsAreCountedOverAllRanks) {
  RunConfig config = tiny_config();
  config.data.packing = Packing::first_fit;
  config.data.positions = PositionsChoice::document;
  config.data.document_tokens = 4;
  config.data.eos_id = 39;
  config.attention = {AttentionBackend::flex, {DocumentBoundary::position_zero}};
  EXPECT_THAT(replicas(2, config, true), Each(""));
}

TEST_F(ReplicateTest, ARankWithoutALabelThatCountsTakesPart) {
  // Four rows of two tokens; the labels of the first two, which are rank 0's, do not count.
  write_file(
      folder / "rows.tokens",
      "[[rows]]\ntokens = [1, 2]\nlabels = [-100, -100]\n[[rows]]\ntokens = [3, 4]\nlabels = [-100, -100]\n"
      "[[rows]]\ntokens = [5, 6]\nlabels = [7, 8]\n[[rows]]\ntokens = [9, 10]\nlabels = [11, -100]\n");
  RunConfig config = tiny_config();
  config.data.source = DataSource::tokens;
  config.data.path = (folder / "rows.tokens").string();
  config.data.seq_len = 2;
  EXPECT_THAT(replicas(2, config, true), Each(""));
}

TEST_F(ReplicateTest, ASumForgottenOnOneRankIsSeen) {
  const std::vector<std::string> complaints = run_ranks(2, [](Group& world) {
    RunConfig config = unequal();
    config.parallel.dp_replicate = 2;
    Trainer replica(config, held(world));
    replica.set_phase_hook([&](trace::Phase phase) {
      if (phase == trace::Phase::grad_local && world.rank() == 1)
        for (const Parameter& parameter : replica.parameters())
          torch::Tensor(parameter.value).mutable_grad().zero_();
    });
    config.parallel.dp_replicate = 1;
    config.data.micro_batches = 2;
    Trainer whole(config);
    require(whole.step().grad_norm == replica.step().grad_norm, "another gradient");
  });
  EXPECT_THAT(complaints, Each(HasSubstr("another gradient")));
}

TEST_F(ReplicateTest, AWorldOfAnotherSizeThanTheMeshIsRefused) {
  RunConfig config = tiny_config();
  config.parallel.dp_replicate = 2;
  try {
    Trainer trainer(config);
    FAIL() << "one rank is not two";
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), HasSubstr("a mesh of dp_replicate 2 has 2 ranks, and there are 1"));
  }
}

}  // namespace
}  // namespace parity::reference
