// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/parallel/data/fsdp.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "reference/parallel/core/layout.hpp"
#include "reference/train/run/halves.hpp"
#include "reference/train/step/trainer.hpp"
#include "tests/reference/tiny.hpp"
#include "tests/support/ranks.hpp"

namespace parity::reference {
namespace {

using testing::Each;
using testing::HasSubstr;

enum class Want { same_gradients, same_bits, near };

class FsdpTest : public RanksTest {
 protected:
  /// Trains three updates of two configs in the same ranks. Gradients are compared whole.
  /// Want::same_gradients leaves out grad_norm and what follows from it, which round differently over shards.
  static void compare(const RunConfig& a, const RunConfig& b, Group& world, Want want) {
    const auto near = [&](double x, double y) {
      return want == Want::near ? std::abs(x - y) <= 1e-12 * std::abs(x) : x == y;
    };
    Trainer first(a, held(world)), second(b, held(world));
    std::vector<torch::Tensor> gradients;
    collect(first, gradients, [](torch::Tensor&, const torch::Tensor&) {});
    collect(second, gradients, [&](torch::Tensor& x, const torch::Tensor& y) {
      require(want == Want::near ? x.allclose(y, 1e-10, 1e-14) : x.equal(y), "another gradient");
    });
    for (int64_t step = 1; step <= (want == Want::same_gradients ? 1 : 3); ++step) {
      const StepResult x = update(first, a), y = update(second, b);
      require(near(x.loss, y.loss), fmt::format("step {}: loss {} and {}", step, x.loss, y.loss));
      require(x.valid_tokens == y.valid_tokens && x.batch_digest == y.batch_digest, "other data");
      if (want == Want::same_gradients)
        continue;
      require(near(x.grad_norm, y.grad_norm) && near(x.update_norm, y.update_norm),
              fmt::format("step {}: grad_norm {} and {}, update_norm {} and {}", step, x.grad_norm,
                          y.grad_norm, x.update_norm, y.update_norm));
    }
  }

  /// Stores the whole gradients of each update in `gradients`, or compares with those already there.
  template <class Compare>
  static void collect(Trainer& trainer, std::vector<torch::Tensor>& gradients, const Compare& with) {
    trainer.set_phase_hook([&trainer, &gradients, with](trace::Phase phase) {
      if (phase != trace::Phase::grad)
        return;
      std::vector<torch::Tensor> mine;
      for (const Parameter& parameter : trainer.parameters())
        mine.push_back(logical_tensor(parameter.value.grad(), parameter.layout, trainer.world()).clone());
      for (size_t i = 0; i < gradients.size(); ++i)
        with(gradients[i], mine[i]);
      gradients = gradients.empty() ? mine : std::vector<torch::Tensor>();
    });
  }

  static StepResult update(Trainer& trainer, const RunConfig& config) {
    return config.train.update == UpdateCall::step ? trainer.step()
                                                   : update_by_halves(trainer, config.train.update);
  }

  std::vector<std::string> compare_on(int64_t ranks, const RunConfig& a, const RunConfig& b, Want want) {
    return run_ranks(ranks, [&](Group& world) { compare(a, b, world, want); });
  }

  /// With 41 tokens, 2 micro-batches of 4 rows, and rows that have different numbers of valid tokens.
  static RunConfig uneven(int64_t dp_replicate, int64_t dp_shard) {
    RunConfig config = tiny_config();
    config.architecture.vocab_size = 41;
    config.data.global_batch = 8;
    config.data.micro_batches = 2;
    config.data.ignore_fraction = 0.3;
    config.parallel.dp_replicate = dp_replicate;
    config.parallel.dp_shard = dp_shard;
    return config;
  }

  static RunConfig hsdp(RunConfig config) {
    config.parallel.replicate_with = ReplicateWith::hsdp;
    return config;
  }
};

TEST_F(FsdpTest, TwoRanks_HaveReplicaGradientsBitForBit) {
  EXPECT_THAT(compare_on(2, uneven(2, 1), uneven(1, 2), Want::same_gradients), Each(""));
  RunConfig a = uneven(2, 1), b = uneven(1, 2);
  a.loss.chunks = b.loss.chunks = 3;
  EXPECT_THAT(compare_on(2, a, b, Want::same_gradients), Each(""));
}

TEST_F(FsdpTest, HsdpReplicate_TwoRanks_HasBitsOfAllReduce) {
  EXPECT_THAT(compare_on(2, uneven(2, 1), hsdp(uneven(2, 1)), Want::same_bits), Each(""));
  RunConfig halves = uneven(2, 1);
  halves.train.update = UpdateCall::halves;
  EXPECT_THAT(compare_on(2, halves, hsdp(halves), Want::same_bits), Each(""));
}

TEST_F(FsdpTest, FourRanks_Float64_AgreeInAnyLayout) {
  const auto wide = [](RunConfig config) {
    config.dtype = Precision::float64;
    return config;
  };
  const RunConfig replicas = wide(uneven(4, 1));
  for (const RunConfig& other : {hsdp(uneven(4, 1)), uneven(1, 4), uneven(2, 2)})
    EXPECT_THAT(compare_on(4, replicas, wide(other), Want::near), Each(""));
}

TEST_F(FsdpTest, WhenParametersAreDroppedChangesNoBit) {
  RunConfig always = uneven(1, 2), never = uneven(1, 2);
  always.parallel.reshard_after_forward = ReshardAfterForward::always;
  never.parallel.reshard_after_forward = ReshardAfterForward::never;
  for (const int64_t chunks : {0, 2}) {
    always.loss.chunks = never.loss.chunks = chunks;
    EXPECT_THAT(compare_on(2, always, never, Want::same_bits), Each(""));
  }
}

TEST_F(FsdpTest, ReducingEachMicroBatch_IsTheSameMathematics) {
  for (const RunConfig& plain : {uneven(2, 1), uneven(1, 2), hsdp(uneven(2, 1))}) {
    RunConfig last = plain;
    last.dtype = Precision::float64;
    RunConfig each = last;
    each.parallel.sync = GradientSync::each;
    EXPECT_THAT(compare_on(2, last, each, Want::near), Each(""));
  }
  RunConfig replicas = uneven(2, 1);
  replicas.parallel.sync = GradientSync::each;
  EXPECT_THAT(compare_on(2, replicas, hsdp(replicas), Want::same_bits), Each(""));
}

TEST_F(FsdpTest, TheAveragingEraIsAMeanOfTheRanksOwnMeans) {
  RunConfig summed = uneven(2, 1);
  summed.loss.normalization = Normalization::microbatch_mean;
  RunConfig averaged = summed;
  averaged.parallel.gradient_reduction = GradientReduction::average;
  EXPECT_THAT(compare_on(2, summed, averaged, Want::same_bits), Each("")) << "halves are exact";
  EXPECT_THAT(compare_on(2, summed, hsdp(averaged), Want::same_bits), Each(""));
}

TEST_F(FsdpTest, AverageInsteadOfSum_DividesGradNormByRanks) {
  EXPECT_THAT(run_ranks(4,
                        [](Group& world) {
                          RunConfig averaged = uneven(2, 2);
                          averaged.parallel.gradient_reduction = GradientReduction::average;
                          Trainer sum(uneven(2, 2), held(world)), average(averaged, held(world));
                          const double ratio = sum.step().grad_norm / average.step().grad_norm;
                          require(ratio == 4, fmt::format("ratio {}", ratio));
                        }),
              Each(""));
}

TEST_F(FsdpTest, ARankWithoutALabelThatCountsTakesPart) {
  write_file(
      folder / "rows.tokens",
      "[[rows]]\ntokens = [1, 2]\nlabels = [-100, -100]\n[[rows]]\ntokens = [3, 4]\nlabels = [-100, -100]\n"
      "[[rows]]\ntokens = [5, 6]\nlabels = [7, 8]\n[[rows]]\ntokens = [9, 10]\nlabels = [11, -100]\n");
  RunConfig replicas = tiny_config();
  replicas.data.source = DataSource::tokens;
  replicas.data.path = (folder / "rows.tokens").string();
  replicas.data.seq_len = 2;
  replicas.parallel.dp_replicate = 2;
  RunConfig fsdp = replicas;
  fsdp.parallel.dp_replicate = 1;
  fsdp.parallel.dp_shard = 2;
  EXPECT_THAT(compare_on(2, replicas, fsdp, Want::same_gradients), Each(""));
}

TEST_F(FsdpTest, EachCollectiveMovesWhatItsFormulaSays) {
  EXPECT_THAT(run_ranks(4,
                        [](Group& world) {
                          const RunConfig config = uneven(2, 2);
                          Trainer trainer(config, held(world));
                          const std::map<std::string, Traffic> before = world.traffic();
                          trainer.step();
                          const auto expect = [&](const std::string& kind, int64_t calls, int64_t bytes) {
                            Traffic traffic = world.traffic().at(kind);
                            if (const auto old = before.find(kind); old != before.end())
                              traffic = {traffic.calls - old->second.calls,
                                         traffic.bytes - old->second.bytes};
                            require(traffic.calls == calls && traffic.bytes == bytes,
                                    fmt::format("{}: {} calls, {} bytes, not {} and {}", kind, traffic.calls,
                                                traffic.bytes, calls, bytes));
                          };
                          // Elements a rank: 21 of 41 rows of the embeddings, half of the others; in bytes.
                          const int64_t embedding = 4 * 21 * 16;
                          const int64_t block = 4 * (16 * 16 * 2 + 8 * 16 * 2 + 3 * 24 * 16 + 2 * 16) / 2;
                          const int64_t head = 4 * (21 * 16 + 8);
                          const int64_t shards = embedding + 2 * block + head;
                          // Two micro-batches; gathered for forward and, except the head, again for backward.
                          expect("dp_shard all_gather", 2 * (3 + 4), 2 * (2 * shards - head));
                          expect("dp_shard reduce_scatter", 4, 2 * shards);
                          expect("dp_replicate all_reduce", 4, shards);
                        }),
              Each(""));
}

TEST_F(FsdpTest, EveryRankNamesTheTensorThatIsNotFiniteOnOne) {
  const auto complaints = run_ranks(2, [](Group& world) {
    Trainer trainer(uneven(1, 2), held(world));
    if (world.rank() == 1) {
      const torch::NoGradGuard no_grad;
      trainer.parameters().at(3).value[0].fill_(std::numeric_limits<float>::quiet_NaN());
    }
    trainer.step();
  });
  EXPECT_THAT(complaints, Each(HasSubstr("the first tensor that is not finite is the parameter "
                                         "layers.0.attention.wv.weight")));
}

TEST_F(FsdpTest, ALostRankEndsTheOthersInBackward) {
  const auto complaints = run_ranks(
      2,
      [](Group& world) {
        Trainer trainer(uneven(1, 2), held(world));
        if (world.rank() == 1)
          return;
        try {
          trainer.step();
        } catch (const PeerLost&) {
          throw UserError("lost");
        }
      },
      std::chrono::seconds(5));
  EXPECT_EQ(complaints.front(), "lost");
}

}  // namespace
}  // namespace parity::reference
