// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include <gmock/gmock.h>

#include "harness/trace/read/trace.hpp"
#include "reference/model/parameter.hpp"
#include "reference/train/capture/capture.hpp"
#include "reference/train/capture/layout.hpp"
#include "reference/train/step/trainer.hpp"
#include "tests/reference/tiny.hpp"
#include "tests/support/ranks.hpp"

namespace parity::reference {
namespace {

using testing::Each;
using testing::IsEmpty;
using testing::SizeIs;

/// Ranks that train, each with its recorder.
class RanksTraceTest : public RanksTest {
 protected:
  /// Three updates, every tensor kept. \param fault  of each rank's recorder; may be null
  void train(const RunConfig& config, const std::function<trace::FaultHook(int64_t rank)>& fault = nullptr) {
    const auto complaints = run_ranks(config.parallel.ranks(), [&](Group& world) {
      Trainer trainer(config, held(world));
      trace::Recorder::Options options{trace_path(), {}, {}, {}, 0};
      options.capture.tensors.push_back({});
      options.rank = world.rank();
      options.ranks = world.size();
      trace::Recorder recorder(std::move(options));
      if (fault)
        recorder.set_fault_hook(fault(world.rank()));
      StepCapture capture(trainer, recorder);
      capture.initial_state();
      for (int64_t step = 1; step <= 3; ++step) {
        capture.begin_step(step);
        capture.end_step(trainer.step());
      }
      if (world.rank() != 0)
        recorder.finish();
      world.barrier();
      if (world.rank() == 0)
        recorder.finish();
    });
    EXPECT_THAT(complaints, Each(""));
  }

  static RunConfig replicated() {
    RunConfig config = tiny_config();
    config.parallel.dp_replicate = 2;
    return config;
  }
};

TEST_F(RanksTraceTest, ReplicasAreRecordedByEachRankAndAreEqual) {
  train(replicated());
  const trace::Trace trace = trace::Trace::open(folder);
  EXPECT_EQ(trace.ranks(), 2);
  EXPECT_THAT(trace.replica_differences(), IsEmpty());
  // Each parameter: at first, then as grad, grad_clipped and param of three updates, with two tensors of the
  // optimizer's state. And six channels. Each rank has its own rows of everything above.
  const auto held =
      std::count_if(trace.sketches().begin(), trace.sketches().end(),
                    [](const trace::SketchRow& row) { return row.key.phase >= trace::Phase::grad; });
  EXPECT_EQ(held, 10 * 21 + 3 * 2 * 21);
  EXPECT_EQ(trace.replicas_compared(), held + 6);
}

TEST_F(RanksTraceTest, LocalGradientsAreTermsOfTheReducedOne) {
  train(replicated());
  const trace::Trace trace = trace::Trace::open(folder);
  for (const trace::TensorKey& key : trace.tensors()) {
    if (key.phase != trace::Phase::grad_local)
      continue;
    const TensorView sum = trace.tensor(key),
                     reduced = trace.tensor({key.step, trace::Phase::grad, key.name});
    EXPECT_TRUE(std::ranges::equal(sum.raw(), reduced.raw())) << key.name << " at step " << key.step;
  }
  EXPECT_TRUE(trace.has_tensor({2, trace::Phase::grad_local, "norm.weight"}));
}

TEST_F(RanksTraceTest, AReplicaThatOneRankAltersIsNamed) {
  train(replicated(), [](int64_t rank) -> trace::FaultHook {
    return [rank](int64_t step, trace::Phase phase, std::string_view name, const TensorView&, void* data) {
      if (rank == 1 && step == 2 && phase == trace::Phase::param && name == "layers.1.ffn_norm.weight")
        static_cast<float*>(data)[3] += 0.25F;
    };
  });
  const trace::Trace trace = trace::Trace::open(folder);
  ASSERT_FALSE(trace.replica_differences().empty());
  const trace::ReplicaDifference& first = trace.replica_differences().front();
  EXPECT_EQ(first.step, 2);
  EXPECT_EQ(first.phase, trace::Phase::param);
  EXPECT_EQ(first.name, "layers.1.ffn_norm.weight");
  EXPECT_THAT(first.index, testing::ElementsAre(3));
  EXPECT_NEAR(*first.other_value - *first.value, 0.25, 1e-6);
}

TEST_F(RanksTraceTest, JoinedShards_EqualReplicas) {
  const auto digests = [&] {
    std::map<std::string, measure::Digest> result;
    const trace::Trace trace = trace::Trace::open(folder);
    for (const trace::SketchRow& row : trace.sketches())
      if (row.key == trace::TensorKey{0, trace::Phase::param, row.key.name} ||
          row.key == trace::TensorKey{1, trace::Phase::grad, row.key.name}) {
        EXPECT_EQ(measure::digest_of(trace.tensor(row.key)), row.digest) << row.key.name;
        result[std::string(name_of(row.key.phase)) + " " + row.key.name] = row.digest;
      }
    return result;
  };
  train(replicated());
  const auto whole = digests();
  RunConfig config = tiny_config();
  config.parallel.dp_shard = 2;
  train(config);
  EXPECT_EQ(digests(), whole);
  EXPECT_THAT(whole, SizeIs(2 * 21));
}

TEST_F(RanksTraceTest, ShardsOfTwoReplicasAreCompared) {
  RunConfig config = tiny_config();
  config.parallel.dp_replicate = 2;
  config.parallel.dp_shard = 2;
  train(config, [](int64_t rank) -> trace::FaultHook {
    return [rank](int64_t step, trace::Phase phase, std::string_view name, const TensorView& view,
                  void* data) {
      if (rank == 3 && step == 2 && phase == trace::Phase::grad && name == "norm.weight" && view.size() > 0)
        static_cast<float*>(data)[0] += 1;
    };
  });
  const trace::Trace trace = trace::Trace::open(folder);
  ASSERT_FALSE(trace.replica_differences().empty());
  const trace::ReplicaDifference& first = trace.replica_differences().front();
  EXPECT_EQ(first.name, "norm.weight");
  EXPECT_EQ(first.step, 2);
  EXPECT_EQ(first.rank, 1);
  EXPECT_EQ(first.other, 3);
}

TEST_F(RanksTraceTest, DocumentsAreThoseOfAllRows) {
  RunConfig config = replicated();
  config.data.packing = Packing::first_fit;
  config.data.document_tokens = 4;
  config.data.eos_id = 39;
  config.attention = {AttentionBackend::flex, {DocumentBoundary::position_zero}};
  config.data.positions = PositionsChoice::document;
  train(config);
  const trace::TensorKey key{1, trace::Phase::input, "document_ids"};
  const trace::Trace trace = trace::Trace::open(folder);
  const TensorView both = trace.tensor(key);
  EXPECT_EQ(both.shape, (Shape{config.data.global_batch, config.data.seq_len}));
}

TEST_F(RanksTraceTest, StagesHaveTheirTensorsAndTogetherEveryOne) {
  train(replicated());
  const auto digests = [&] {
    std::map<std::string, measure::Digest> result;
    const trace::Trace trace = trace::Trace::open(folder);
    for (const trace::SketchRow& row : trace.sketches())
      if (row.key.step == 1 && row.key.phase == trace::Phase::grad)
        result[row.key.name] = row.digest;
    return result;
  };
  const auto whole = digests();
  RunConfig config = tiny_config();
  config.parallel.pp = 2;
  config.parallel.pp_microbatches = 2;
  train(config);
  EXPECT_EQ(digests(), whole) << "2 pieces add up as 2 replicas do";
  EXPECT_THAT(trace::Trace::open(folder).replica_differences(), IsEmpty());
  EXPECT_THAT(whole, SizeIs(21));
}

TEST(CaptureLayoutTest, DimensionsThatNobodySplitHoldTheSame) {
  const DeviceMesh mesh({{"pp", 2}, {"dp_replicate", 2}, {"dp_shard", 1}, {"cp", 1}, {"tp", 2}}, 8);
  const TensorLayout split = {{8}, {{"tp", 1, 2, Shard{0, {{4, 8}}}}}};
  const TensorLayout layout = parameter_layout(split, {4}, mesh, 3);
  ASSERT_THAT(layout.placements, SizeIs(2));
  EXPECT_EQ(layout.placements[1], (Placement{"dp_replicate", 1, 2, parity::Replicate{}}));
  EXPECT_EQ(local_gradient_layout(split, {4}, mesh, 3).placements[1],
            (Placement{"dp_replicate", 1, 2, Partial{}}));
}

TEST(CaptureLayoutTest, RanksThatShareSequencesReadTheSameRows) {
  const DeviceMesh mesh({{"dp_shard", 2}, {"cp", 2}}, 4);
  const TensorLayout layout = rows_layout({3, 5}, mesh, 3);
  EXPECT_EQ(layout.global_shape, (std::vector<int64_t>{6, 5}));
  EXPECT_EQ(layout.placements[0], (Placement{"dp_shard", 1, 2, Shard{0, {{3, 6}}}}));
  EXPECT_EQ(layout.placements[1], (Placement{"cp", 1, 2, parity::Replicate{}}));
}

TEST(CaptureLayoutTest, RowsFollowReplicasThenShards) {
  const DeviceMesh mesh({{"dp_replicate", 2}, {"dp_shard", 2}, {"tp", 2}}, 8);
  const TensorLayout layout = rows_layout({3, 5}, mesh, 5);  // (1, 0, 1)
  EXPECT_EQ(layout.global_shape, (std::vector<int64_t>{12, 5}));
  EXPECT_EQ(layout.placements[0], (Placement{"dp_replicate", 1, 2, Shard{0, {{6, 9}}}}));
  EXPECT_EQ(layout.placements[1], (Placement{"dp_shard", 0, 2, Shard{0, {{6, 9}}}}));
}

}  // namespace
}  // namespace parity::reference
