// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/train/step/route_replay.hpp"

#include <vector>

#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "harness/trace/format/routes.hpp"
#include "harness/trace/write/recorder.hpp"
#include "reference/train/capture/capture.hpp"
#include "reference/train/step/trainer.hpp"
#include "tests/reference/tiny.hpp"
#include "tests/support/scratch.hpp"

namespace parity::reference {
namespace {

using testing::HasSubstr;

RunConfig with_experts() {
  RunConfig config = tiny_config();
  config.moe = {.experts = 4, .top_k = 2, .hidden = 8};
  config.moe.score = RouterScoreChoice::softmax;
  config.steps = 3;
  config.lr.base = 1e-2;
  return config;
}

class RouteReplayTest : public FolderTest {
 protected:
  /// Trains and records the routes of each update.
  std::vector<StepResult> train(const RunConfig& config, const std::string& file) const {
    Trainer trainer(config);
    trace::Recorder::Options options{folder / file, Json::object(), Json::object(), {}, 0};
    options.capture.tensors.push_back({{}, {trace::Phase::input}, {std::string(trace::routes_glob)}});
    trace::Recorder recorder(std::move(options));
    StepCapture capture(trainer, recorder);
    capture.initial_state();
    std::vector<StepResult> results;
    for (int64_t step = 1; step <= config.steps; ++step) {
      capture.begin_step(step);
      results.push_back(trainer.step());
      capture.end_step(results.back());
    }
    recorder.finish();
    return results;
  }

  std::vector<StepResult> replay(RunConfig config) const {
    config.moe.replay = (folder / "recorded.h5").string();
    return train(config, "replayed.h5");
  }

  std::string refusal(const RunConfig& config) const {
    try {
      replay(config);
    } catch (const UserError& error) {
      return error.what();
    }
    return "not refused";
  }
};

void expect_same_routes(const std::vector<StepResult>& a, const std::vector<StepResult>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i)
    EXPECT_EQ(a[i].routing_digest, b[i].routing_digest) << "update " << i + 1;
}

TEST_F(RouteReplayTest, OwnRoutes_ChangeNoBit) {
  const auto recorded = train(with_experts(), "recorded.h5"), replayed = replay(with_experts());
  expect_same_routes(recorded, replayed);
  for (size_t i = 0; i < recorded.size(); ++i)
    EXPECT_EQ(recorded[i].grad_norm, replayed[i].grad_norm);
}

TEST_F(RouteReplayTest, OtherWeights_TakeTheRecordedExperts) {
  const auto recorded = train(with_experts(), "recorded.h5");
  RunConfig other = with_experts();
  other.seed = 7;
  EXPECT_NE(train(other, "own.h5").front().routing_digest, recorded.front().routing_digest);
  const auto replayed = replay(other);
  expect_same_routes(recorded, replayed);
  EXPECT_NE(recorded.front().loss, replayed.front().loss);
}

TEST_F(RouteReplayTest, PiecesAndRecomputedBlocks_TakeTheirOwnTokens) {
  const auto recorded = train(with_experts(), "recorded.h5");
  RunConfig other = with_experts();
  other.seed = 7;
  other.data.micro_batches = 2;
  expect_same_routes(recorded, replay(other));
  other.parallel.activation_checkpointing = ActivationCheckpointing::full;
  expect_same_routes(recorded, replay(other));
}

TEST_F(RouteReplayTest, Evaluation_ChoosesForItself) {
  RunConfig config = with_experts();
  config.train.evaluate = true;
  const auto recorded = train(config, "recorded.h5"), replayed = replay(config);
  EXPECT_EQ(recorded.back().eval_loss, replayed.back().eval_loss);
}

TEST_F(RouteReplayTest, RoutesThatDoNotFit_AreRefused) {
  train(with_experts(), "recorded.h5");
  RunConfig longer = with_experts(), tokens = with_experts(), top_k = with_experts(),
            experts = with_experts(), layers = with_experts(), rows = with_experts();
  longer.steps = 4;
  EXPECT_THAT(refusal(longer), HasSubstr("it has none of step 4"));
  tokens.data.seed = 5;
  EXPECT_THAT(refusal(tokens), HasSubstr("update 1 of this run has other tokens"));
  top_k.moe.top_k = 1;
  EXPECT_THAT(refusal(top_k), HasSubstr("has a token with 2 experts at step 1; this run has moe.top_k = 1"));
  experts.moe.experts = 8;
  EXPECT_THAT(refusal(experts), HasSubstr("this run has (4, 12, 8) (sequences, tokens, experts)"));
  layers.architecture.n_layers = 3;
  EXPECT_THAT(refusal(layers), HasSubstr("only this model has layers.2.moe.routes"));
  rows.data.global_batch = 8;
  EXPECT_THAT(refusal(rows), HasSubstr("this run has (8, 12, 4)"));
}

}  // namespace
}  // namespace parity::reference
