// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/train/step/trainer.hpp"

#include <cmath>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/data/loader.hpp"
#include "reference/model/parameter.hpp"
#include "tests/reference/tiny.hpp"

namespace parity::reference {
namespace {

std::vector<torch::Tensor> copies(const Trainer& trainer) {
  std::vector<torch::Tensor> result;
  for (const Parameter& parameter : trainer.parameters())
    result.push_back(parameter.value.detach().clone());
  return result;
}

TEST(TrainerTest, LossFallsOnTheSyntheticCorpus) {
  RunConfig config = tiny_config();
  config.steps = 60;
  config.lr.base = 0.02;
  Trainer trainer(config);
  const double first = trainer.step().loss;
  StepResult last;
  while (trainer.updates_done() < config.steps)
    last = trainer.step();
  EXPECT_NEAR(first, std::log(40.0), 1.0);
  EXPECT_LT(last.loss, first - 0.5);
}

TEST(TrainerTest, LossFallsOnALicenceText) {
  const char* licence = "/usr/share/common-licenses/GPL-3";
  if (!std::filesystem::exists(licence))
    GTEST_SKIP() << "needs " << licence << ", found no such file";
  RunConfig config = tiny_config();
  config.data.source = DataSource::text;
  config.data.path = licence;
  config.architecture.vocab_size = 258;
  config.steps = 40;
  config.lr.base = 0.02;
  Trainer trainer(config);
  const double first = trainer.step().loss;
  double last = first;
  while (trainer.updates_done() < config.steps)
    last = trainer.step().loss;
  EXPECT_LT(last, first - 1.0);
}

TEST(TrainerTest, ForwardBackward_AccumulatesUntilDropped) {
  Trainer trainer(tiny_config(Precision::float64));
  const UpdateBatches batches = trainer.next_batches();
  trainer.forward_backward(batches);
  const torch::Tensor once = trainer.parameters()[1].value.grad().clone();
  trainer.forward_backward(batches);
  EXPECT_TRUE(torch::equal(trainer.parameters()[1].value.grad(), 2 * once));
  trainer.zero_grad();
  trainer.forward_backward(batches);
  EXPECT_TRUE(torch::equal(trainer.parameters()[1].value.grad(), once));
}

TEST(TrainerTest, Evaluation_IsFirstRowsLossChangingNothing) {
  RunConfig config = tiny_config();
  config.data.ignore_fraction = 0.3;
  Trainer plain(config);
  config.train.evaluate = true;
  Trainer evaluating(config);
  const double before = plain.evaluate();
  EXPECT_EQ(plain.step().loss, before) << "the first update has these rows";
  const StepResult first = evaluating.step(), second = evaluating.step();
  EXPECT_EQ(first.eval_loss, plain.evaluate());
  EXPECT_EQ(second.loss, plain.step().loss);
  EXPECT_NE(second.eval_loss, second.loss) << "other rows";
  EXPECT_FALSE(plain.step().eval_loss.has_value());
}

TEST(TrainerTest, UpdateNormIsTheLengthOfTheChange) {
  Trainer trainer(tiny_config(Precision::float64));
  const std::vector<torch::Tensor> before = copies(trainer);
  const StepResult result = trainer.step();
  double sum = 0;
  for (size_t i = 0; i < before.size(); ++i)
    sum += (trainer.parameters()[i].value.detach() - before[i]).square().sum().item<double>();
  EXPECT_NEAR(result.update_norm, std::sqrt(sum), 1e-13 * result.update_norm);
  EXPECT_GT(result.update_norm, 0);
}

TEST(TrainerTest, AWarmupFromZeroWastesTheFirstUpdate) {
  RunConfig config = tiny_config();
  config.lr.schedule = ScheduleName::warmup_linear;
  config.lr.first_index = 0;
  Trainer trainer(config);
  const std::vector<torch::Tensor> before = copies(trainer);
  const StepResult first = trainer.step();
  EXPECT_EQ(first.lr, 0.0);
  EXPECT_EQ(first.update_norm, 0.0);
  for (size_t i = 0; i < before.size(); ++i)
    EXPECT_TRUE(torch::equal(before[i], trainer.parameters()[i].value));
  EXPECT_GT(trainer.step().update_norm, 0.0);
}

TEST(TrainerTest, DeepSpeedsEngineOrderWastesTwoUpdates) {
  RunConfig config = tiny_config();
  config.lr.schedule = ScheduleName::deepspeed;
  Trainer trainer(config);
  EXPECT_EQ(trainer.step().update_norm, 0.0);
  EXPECT_EQ(trainer.step().update_norm, 0.0);
  EXPECT_GT(trainer.step().update_norm, 0.0);
}

TEST(TrainerTest, RisingWeightDecay_ReachesOptimizerAndReport) {
  RunConfig config = tiny_config();
  EXPECT_FALSE(Trainer(config).step().weight_decay.has_value());
  config.lr.schedule = ScheduleName::megatron;
  config.lr.init_factor = 0.5;  // so that the first update moves
  config.optimizer.weight_decay = 6;
  const StepResult constant = Trainer(config).step();
  config.optimizer.weight_decay_ramp = WeightDecayRamp::linear;
  Trainer trainer(config);
  const StepResult first = trainer.step();
  EXPECT_EQ(first.weight_decay, 0.0);
  EXPECT_NE(first.update_norm, constant.update_norm);
  EXPECT_EQ(trainer.step().weight_decay, 1.0);  // 6 over 6 updates
  config.optimizer.weight_decay = 0;
  config.optimizer.weight_decay_ramp = WeightDecayRamp::constant;
  EXPECT_EQ(first.update_norm, Trainer(config).step().update_norm);
}

TEST(TrainerTest, Phases_ComeInOrderSecondHasClippedGradients) {
  RunConfig config = tiny_config(Precision::float64);
  config.clip.max_norm = 0.01;
  Trainer trainer(config);
  std::vector<trace::Phase> phases;
  std::vector<double> norms;
  trainer.set_phase_hook([&](trace::Phase phase) {
    phases.push_back(phase);
    double sum = 0;
    for (const Parameter& parameter : trainer.parameters())
      sum += parameter.value.grad().square().sum().item<double>();
    norms.push_back(std::sqrt(sum));
  });
  const StepResult result = trainer.step();
  EXPECT_THAT(phases, testing::ElementsAre(trace::Phase::grad, trace::Phase::grad_clipped,
                                           trace::Phase::optim, trace::Phase::param));
  EXPECT_NEAR(norms[0], result.grad_norm, 1e-12 * norms[0]);
  EXPECT_GT(norms[0], 0.1);
  EXPECT_NEAR(norms[1], 0.01, 1e-6);
}

TEST(TrainerTest, WhatAHookWritesGoesOnIntoTheRun) {
  Trainer plain(tiny_config()), faulty(tiny_config());
  faulty.set_phase_hook([&](trace::Phase phase) {
    if (phase == trace::Phase::grad)
      faulty.parameters()[0].value.grad().neg_();  // a factor alone would not change Adam's first update
  });
  EXPECT_EQ(plain.step().loss, faulty.step().loss);
  EXPECT_NE(plain.step().loss, faulty.step().loss);
}

TEST(TrainerTest, BatchDigestFollowsTokensAndLabels) {
  RunConfig other_seed = tiny_config(), other_labels = tiny_config();
  other_seed.data.seed = 2;
  other_labels.data.ignore_fraction = 0.3;
  std::set<int64_t> digests;
  for (const RunConfig& config : {tiny_config(), other_seed, other_labels})
    digests.insert(Trainer(config).step().batch_digest);
  EXPECT_EQ(digests.size(), 3U);
  EXPECT_TRUE(digests.contains(Trainer(tiny_config(Precision::float64)).step().batch_digest));
}

TEST(TrainerTest, RepeatedRunsHaveTheSameBits) {
  Trainer a(tiny_config()), b(tiny_config());
  for (int step = 0; step < 4; ++step) {
    a.step();
    b.step();
  }
  for (size_t i = 0; i < a.parameters().size(); ++i)
    EXPECT_TRUE(torch::equal(a.parameters()[i].value, b.parameters()[i].value));
}

}  // namespace
}  // namespace parity::reference
