// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/parallel/pipeline/pipeline.hpp"

#include <limits>
#include <numeric>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "reference/data/loader.hpp"
#include "reference/parallel/core/layout.hpp"
#include "reference/parallel/pipeline/stages.hpp"
#include "reference/train/checks/non_finite.hpp"
#include "reference/train/step/trainer.hpp"
#include "tests/reference/parallel/beside_one_process.hpp"

namespace parity::reference {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(PipelineStagesTest, Blocks_DivideInOrderLastStageIsNeverLargest) {
  EXPECT_THAT(sections_of(4, 2), ElementsAre(Section{0, 2}, Section{2, 4}));
  EXPECT_THAT(sections_of(7, 3), ElementsAre(Section{0, 3}, Section{3, 5}, Section{5, 7}));
  EXPECT_THAT(sections_of(3, 3), ElementsAre(Section{0, 1}, Section{1, 2}, Section{2, 3}));
}

class PipelineTest : public BesideOneProcessTest {
 protected:
  /// Five blocks, eight rows of an update, labels that do not count.
  static RunConfig five_blocks(Precision dtype) {
    RunConfig config = tiny_config(dtype);
    config.architecture.n_layers = 5;
    config.architecture.n_kv_heads = 4;
    config.data.global_batch = 8;
    config.data.ignore_fraction = 0.3;
    return config;
  }
};

struct Layout {
  PipelineSchedule schedule;
  int64_t ranks, stages, pieces;
};

const Layout layouts[] = {{PipelineSchedule::gpipe, 2, 1, 4},
                          {PipelineSchedule::one_forward_one_backward, 2, 1, 4},
                          {PipelineSchedule::one_forward_one_backward, 4, 1, 8},
                          {PipelineSchedule::interleaved, 2, 2, 4}};

RunConfig with(RunConfig config, const Layout& layout) {
  config.parallel.pp = layout.ranks;
  config.parallel.pp_schedule = layout.schedule;
  config.parallel.pp_stages = layout.stages;
  config.parallel.pp_microbatches = layout.pieces;
  return config;
}

/// The pieces go through each stage in the order in which one process takes its micro-batches.
TEST_F(PipelineTest, HasTheBitsOfOneProcessButForTheNorm) {
  for (const Layout& layout : layouts) {
    RunConfig config = with(five_blocks(Precision::float32), layout);
    config.clip.max_norm = 0;
    EXPECT_THAT(run_ranks(layout.ranks,
                          [&](Group& world) {
                            Trainer parallel(config, held(world)), whole(without_ranks(config));
                            for (int64_t step = 1; step <= 3; ++step) {
                              const StepResult a = whole.step(), b = parallel.step();
                              require(a.loss == b.loss, fmt::format("loss {} and {}", a.loss, b.loss));
                              require(std::abs(a.grad_norm - b.grad_norm) <= 1e-6 * a.grad_norm,
                                      fmt::format("grad_norm {} and {}", a.grad_norm, b.grad_norm));
                            }
                            for (const Parameter& b : parallel.parameters()) {
                              const Parameter& a = named(whole.parameters(), b.name);
                              require(a.value.equal(b.value) && a.value.grad().equal(b.value.grad()),
                                      "another " + a.name);
                            }
                          }),
                Each(""))
        << name_of(layout.schedule) << " on " << layout.ranks;
  }
}

TEST_F(PipelineTest, TrainsAsOneProcessDoesUnderEachSchedule) {
  for (const Layout& layout : layouts)
    EXPECT_THAT(beside_one_process(with(five_blocks(Precision::float64), layout)), Each(""))
        << name_of(layout.schedule) << " on " << layout.ranks;
}

TEST_F(PipelineTest, SeveralMicroBatches_EachNormalization_Agree) {
  for (const auto rule : {Normalization::microbatch_mean, Normalization::gradient_scaling}) {
    RunConfig config = with(five_blocks(Precision::float64), layouts[1]);
    config.parallel.pp_microbatches = 2;
    config.data.micro_batches = 2;
    config.loss.normalization = rule;
    EXPECT_THAT(beside_one_process(config), Each("")) << name_of(rule);
  }
}

TEST_F(PipelineTest, AlsoWithALossInChunksOfTokens) {
  for (const Layout& layout : layouts) {
    RunConfig config = with(five_blocks(Precision::float64), layout);
    config.loss.chunks = 2;
    EXPECT_THAT(beside_one_process(config), Each("")) << name_of(layout.schedule);
  }
}

TEST_F(PipelineTest, AlsoWithReplicasShardsAndTensorParallelStages) {
  for (const auto& [replicate, shard, tensor] : {std::tuple{2, 1, 1}, {1, 2, 1}, {1, 1, 2}, {1, 2, 2}}) {
    RunConfig config = with(five_blocks(Precision::float64), layouts[1]);
    config.data.seq_len = 11;
    config.parallel.dp_replicate = replicate;
    config.parallel.dp_shard = shard;
    config.parallel.tp = tensor;
    config.parallel.sequence_parallel = config.parallel.loss_parallel = tensor > 1;
    EXPECT_THAT(beside_one_process(config), Each("")) << replicate << shard << tensor;
  }
}

/// Hidden states travel in the policy's type, not in that of the weights that are updated. A product of fewer
/// rows may round differently in bfloat16.
TEST_F(PipelineTest, MixedPrecisionPolicy_TrainsAsOneProcess) {
  for (const auto& [pieces, most] : {std::pair(1, 0.0), std::pair(4, 1e-3)}) {
    RunConfig config = with(five_blocks(Precision::float32), layouts[1]);
    config.clip.max_norm = 0;
    config.parallel.pp_microbatches = pieces;
    config.parallel.replicate_with = ReplicateWith::hsdp;
    config.parallel.mixed_precision = MixedPrecision::bf16;
    RunConfig alone = without_ranks(config);
    alone.parallel.replicate_with = ReplicateWith::hsdp;
    alone.parallel.mixed_precision = MixedPrecision::bf16;
    EXPECT_THAT(run_ranks(2,
                          [&, most = most](Group& world) {
                            Trainer parallel(config, held(world)), whole(alone);
                            for (int64_t step = 1; step <= 3; ++step) {
                              const StepResult a = whole.step(), b = parallel.step();
                              require(std::abs(a.loss - b.loss) <= most * a.loss,
                                      fmt::format("loss {} and {}", a.loss, b.loss));
                            }
                          }),
                Each(""))
        << pieces;
  }
}

TEST_F(PipelineTest, AlsoInterleavedUnderFullySharedParameters) {
  RunConfig config = with(five_blocks(Precision::float64), layouts[3]);
  config.parallel.dp_shard = 2;
  config.parallel.reshard_after_forward = ReshardAfterForward::always;
  EXPECT_THAT(beside_one_process(config), Each(""));
}

RunConfig with_documents(RunConfig config) {
  config.data.packing = Packing::first_fit;
  config.data.positions = PositionsChoice::document;
  config.data.document_tokens = 4;
  config.data.eos_id = 39;
  config.attention = {AttentionBackend::flex, {DocumentBoundary::position_zero}};
  return config;
}

TEST_F(PipelineTest, MasksAreCutWithTheirRowsOrMadeOfThem) {
  for (const auto backend : {AttentionBackend::flex, AttentionBackend::varlen, AttentionBackend::dense})
    for (const auto masks : {PipelineMasks::split, PipelineMasks::own}) {
      RunConfig config = with(with_documents(five_blocks(Precision::float64)), layouts[0]);
      config.attention.backend = backend;
      config.parallel.pp_masks = masks;
      EXPECT_THAT(beside_one_process(config), Each("")) << name_of(backend) << " " << name_of(masks);
    }
}

TEST_F(PipelineTest, MaskHeldByModules_IsWrongFromSecondPiece) {
  RunConfig config = with(with_documents(five_blocks(Precision::float64)), layouts[0]);
  config.parallel.pp_masks = PipelineMasks::held;
  EXPECT_THAT(beside_one_process(config), Each(HasSubstr("step 1: loss")));
  config.parallel.pp_microbatches = 1;
  EXPECT_THAT(beside_one_process(config), Each("")) << "the first piece is the whole micro-batch";
}

TEST_F(PipelineTest, MovesTheResidualStreamOnceEachWay) {
  for (const Layout& layout : layouts) {
    const RunConfig config = with(five_blocks(Precision::float32), layout);
    EXPECT_THAT(
        run_ranks(layout.ranks,
                  [&](Group& world) {
                    Trainer trainer(config, held(world));
                    trainer.zero_grad();
                    trainer.forward_backward(trainer.next_batches());
                    const int64_t stages = layout.ranks * layout.stages;
                    int64_t boundaries = 0;  // that this rank sends over: forward, and backward
                    for (int64_t stage = world.rank(); stage < stages; stage += layout.ranks)
                      boundaries += (stage + 1 < stages ? 1 : 0) + (stage > 0 ? 1 : 0);
                    const Traffic& sent = world.traffic().at("pp send");
                    require(sent.calls == boundaries * layout.pieces, fmt::format("{} messages", sent.calls));
                    require(sent.bytes == boundaries * 8 * 12 * 16 * 4, fmt::format("{} bytes", sent.bytes));
                  }),
        Each(""))
        << name_of(layout.schedule);
  }
}

TEST_F(PipelineTest, ANumberThatIsNotFiniteIsNamedOnEveryRank) {
  const RunConfig config = with(five_blocks(Precision::float32), layouts[3]);
  const auto with_poison = [&](trace::Phase in, const std::string& name) {
    return run_ranks(2, [&](Group& world) {
      Trainer trainer(config, held(world));
      trainer.set_phase_hook([&](trace::Phase phase) {
        const torch::NoGradGuard no_grad;
        for (const Parameter& parameter : trainer.parameters())
          if (phase == in && parameter.name == name)
            (phase == trace::Phase::param ? parameter.value : parameter.value.grad()).flatten()[0] =
                std::numeric_limits<double>::quiet_NaN();
      });
      trainer.step();
      trainer.step();
    });
  };
  EXPECT_THAT(with_poison(trace::Phase::grad, "layers.3.attention.wq.weight"),
              Each(HasSubstr("is the gradient of layers.3.attention.wq.weight")));
  EXPECT_THAT(with_poison(trace::Phase::param, "norm.weight"),
              Each(HasSubstr("is the parameter norm.weight")));
}

TEST_F(PipelineTest, AnActivationThatOverflowsIsFoundInItsStage) {
  const RunConfig config = with(five_blocks(Precision::float32), layouts[1]);
  const std::vector<std::string> complaints = run_ranks(2, [&](Group& world) {
    Trainer trainer(config, held(world));
    trainer.set_phase_hook([&](trace::Phase phase) {
      const torch::NoGradGuard no_grad;
      for (const Parameter& parameter : trainer.parameters())
        if (phase == trace::Phase::param && parameter.name.starts_with("layers.3.feed_forward"))
          torch::Tensor(parameter.value).mul_(1e30);
    });
    trainer.step();
    trainer.step();
  });
  EXPECT_THAT(complaints, Each(HasSubstr("is the result of layers.3.feed_forward")));
}

TEST_F(PipelineTest, AStageThatEndsLeavesNobodyWaiting) {
  for (const int64_t gone : {0, 1}) {
    const std::vector<std::string> complaints = run_ranks(2, [&](Group& world) {
      Trainer trainer(with(five_blocks(Precision::float32), layouts[3]), held(world));
      trainer.set_batch_hook([&](int64_t step, int64_t /*index*/, const MicroBatch& /*batch*/) {
        if (step == 2 && world.rank() == gone)
          throw std::runtime_error("planted");
      });
      trainer.step();
      trainer.step();
    });
    EXPECT_EQ(complaints.at(static_cast<size_t>(gone)), "planted");
    EXPECT_THAT(complaints.at(static_cast<size_t>(1 - gone)),
                testing::AllOf(HasSubstr(" over pp as rank "), HasSubstr("did not end: ")));
  }
}

TEST_F(PipelineTest, WhatAPipelineSavedAnyLayoutGoesOnFrom) {
  const std::filesystem::path file = folder / "checkpoint.pt";
  const auto losses_from = [&](RunConfig config, const std::shared_ptr<Group>& world, bool loads) {
    config.seed = loads ? 99 : config.seed;
    Trainer trainer(config, world);
    if (loads) {
      trainer.load(file, {});
    } else {
      trainer.step();
      trainer.step();
      trainer.save(file);
      world->barrier();
    }
    return std::vector<double>{trainer.step().loss, trainer.step().loss};
  };
  EXPECT_THAT(run_ranks(4,
                        [&](Group& world) {
                          RunConfig config = with(five_blocks(Precision::float64), layouts[3]);
                          config.parallel.tp = 2;
                          const auto straight = losses_from(config, held(world), false);
                          const auto expect_same = [&](const std::vector<double>& other) {
                            for (size_t i = 0; i < straight.size(); ++i)
                              require(std::abs(straight[i] - other[i]) <= 1e-13 * straight[i],
                                      fmt::format("loss {} and {}", straight[i], other[i]));
                          };
                          expect_same(losses_from(config, held(world), true));
                          RunConfig other = config;
                          other.parallel = {.dp_shard = 4};
                          expect_same(losses_from(other, held(world), true));
                          other = with(five_blocks(Precision::float64), layouts[2]);
                          expect_same(losses_from(other, held(world), true));
                          if (world.rank() == 0)
                            expect_same(losses_from(without_ranks(config), Group::world({}, {}), true));
                        }),
              Each(""));
}

}  // namespace
}  // namespace parity::reference
