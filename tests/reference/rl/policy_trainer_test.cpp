// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/rl/policy_trainer.hpp"

#include <cmath>

#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "reference/model/parameter.hpp"
#include "tests/reference/rl/rollouts.hpp"
#include "tests/support/scratch.hpp"

namespace parity::reference {
namespace {

using testing::HasSubstr;

class PolicyTrainerTest : public FolderTest {};

std::vector<torch::Tensor> values_of(const Trainer& trainer) {
  std::vector<torch::Tensor> values;
  for (const Parameter& parameter : trainer.parameters())
    values.push_back(parameter.value.detach().clone());
  return values;
}

void expect_equal(const Trainer& actual, const Trainer& expected) {
  for (size_t i = 0; i < expected.parameters().size(); ++i)
    EXPECT_TRUE(torch::equal(actual.parameters()[i].value, expected.parameters()[i].value))
        << expected.parameters()[i].name;
}

std::vector<StepResult> train(const RunConfig& config, int64_t updates = 3) {
  Trainer trainer(config);
  PolicyTrainer policy(trainer);
  std::vector<StepResult> results;
  for (int64_t i = 0; i < updates; ++i)
    results.push_back(update_of(trainer, policy));
  return results;
}

TEST_F(PolicyTrainerTest, StepIsTheSplitInOne) {
  Trainer whole(policy_config()), split(policy_config());
  PolicyTrainer whole_policy(whole), split_policy(split);
  for (int i = 0; i < 3; ++i) {
    const WrittenUpdate update(whole);
    const StepResult one = whole_policy.step(update.batches, whole.config().rl, update.divisor);
    const StepResult two = update_of(split, split_policy);
    EXPECT_EQ(one.loss, two.loss);
    EXPECT_EQ(one.grad_norm, two.grad_norm);
    EXPECT_EQ(one.policy->metrics.ratio_mean, two.policy->metrics.ratio_mean);
  }
  expect_equal(whole, split);
  EXPECT_EQ(whole_policy.version(), 3);
}

TEST_F(PolicyTrainerTest, RolloutsThatComeInSeveralBatchesAddUp) {
  RunConfig one = policy_config(Precision::float64), four = one;
  four.data.micro_batches = 4;
  const std::vector<StepResult> at_once = train(one), one_by_one = train(four);
  for (size_t i = 0; i < at_once.size(); ++i) {
    EXPECT_NEAR(at_once[i].loss, one_by_one[i].loss, 1e-14);
    EXPECT_NEAR(at_once[i].grad_norm, one_by_one[i].grad_norm, 1e-13);
    EXPECT_EQ(at_once[i].batch_digest, one_by_one[i].batch_digest);
    EXPECT_NEAR(at_once[i].policy->metrics.entropy, one_by_one[i].policy->metrics.entropy, 1e-14);
    EXPECT_NEAR(at_once[i].policy->metrics.advantage_std, one_by_one[i].policy->metrics.advantage_std, 1e-14);
  }
}

TEST_F(PolicyTrainerTest, Forward_ReturnsTheLogProbsOfTheLoss) {
  Trainer trainer(policy_config(Precision::float64));
  PolicyTrainer policy(trainer);
  WrittenUpdate update(trainer);
  PolicyBatch& batch = update.batches[0];
  const torch::Tensor logprobs = policy.forward(batch).flatten();
  for (int64_t i = 0; i < logprobs.numel(); ++i) {
    const bool counts = batch.rows.labels[static_cast<size_t>(i)] != ignored_label;
    EXPECT_EQ(logprobs[i].item<double>() < 0, counts);
    batch.generator[static_cast<size_t>(i)] = logprobs[i].item<double>();
  }
  const PolicyMetrics metrics = policy.forward_backward(batch, trainer.config().rl, update.divisor);
  EXPECT_EQ(metrics.logprobs_equal, 1);
  EXPECT_EQ(metrics.logprob_diff_max, 0);
  EXPECT_EQ(metrics.ratio_mean, 1);
  EXPECT_EQ(metrics.ratio_clipped, 0);
}

TEST_F(PolicyTrainerTest, AReferenceOfWeightZeroChangesNothing) {
  RunConfig without = policy_config(), with = without;
  with.rl.reference = ReferencePolicy::always;
  const std::vector<StepResult> one = train(without), two = train(with);
  for (size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].loss, two[i].loss);
    EXPECT_EQ(one[i].grad_norm, two[i].grad_norm);
    EXPECT_FALSE(one[i].policy->metrics.kl);
    ASSERT_TRUE(two[i].policy->metrics.kl);
  }
  EXPECT_EQ(*two[0].policy->metrics.kl, 0) << "the first policy is the reference";
  EXPECT_GT(*two[2].policy->metrics.kl, 0);
}

TEST_F(PolicyTrainerTest, AskingTheReferenceLeavesThePolicyAsItIs) {
  RunConfig config = policy_config();
  config.rl.reference = ReferencePolicy::always;
  Trainer trainer(config);
  PolicyTrainer policy(trainer);
  update_of(trainer, policy);
  const std::vector<torch::Tensor> before = values_of(trainer);
  WrittenUpdate update(trainer);
  policy.refer(update.batches[0]);
  for (size_t i = 0; i < before.size(); ++i)
    EXPECT_TRUE(torch::equal(before[i], trainer.parameters()[i].value));
}

TEST_F(PolicyTrainerTest, ADivergenceThatIsWeighedChangesTheGradient) {
  RunConfig without = policy_config(), with = without;
  with.rl.kl_coef = 1;
  const std::vector<StepResult> one = train(without), two = train(with);
  EXPECT_EQ(one[0].grad_norm, two[0].grad_norm) << "k3 is flat where policies are equal";
  EXPECT_NE(one[1].grad_norm, two[1].grad_norm);
}

TEST_F(PolicyTrainerTest, TheControllersRateTakesTheSchedulesPlace) {
  Trainer trainer(policy_config());
  PolicyTrainer policy(trainer);
  WrittenUpdate update(trainer);
  policy.forward_backward(update.batches[0], trainer.config().rl, update.divisor);
  EXPECT_EQ(policy.optim_step({.lr = 0.5}).lr, 0.5);
  const double own = update_of(trainer, policy).lr;
  EXPECT_EQ(own, train(policy_config())[1].lr) << "the schedule moves on all the same";
}

TEST_F(PolicyTrainerTest, TheControllersAdamTakesTheConfigsPlace) {
  RunConfig config = policy_config();
  Trainer told(config);
  config.optimizer.beta1 = 0.5;
  config.optimizer.beta2 = 0.75;
  config.optimizer.eps = 1e-3;
  config.optimizer.weight_decay = 0.25;
  Trainer configured(config);
  PolicyTrainer told_policy(told), configured_policy(configured);
  const WrittenUpdate update(told);
  const UpdateNumbers numbers = {.weight_decay = 0.25, .beta1 = 0.5, .beta2 = 0.75, .eps = 1e-3};
  told_policy.step(update.batches, config.rl, update.divisor, numbers);
  configured_policy.step(update.batches, config.rl, update.divisor);
  expect_equal(told, configured);
  config.optimizer.name = OptimizerName::sgd;
  config.optimizer.weight_decay = 0;
  Trainer sgd(config);
  PolicyTrainer sgd_policy(sgd);
  EXPECT_THAT([&] { sgd_policy.step(update.batches, config.rl, update.divisor, numbers); },
              testing::ThrowsMessage<UserError>(HasSubstr("they are AdamW's")));
}

TEST_F(PolicyTrainerTest, GoesOnFromACheckpointAsIfItHadNotStopped) {
  Trainer straight(policy_config()), first(policy_config()), second(policy_config());
  PolicyTrainer straight_policy(straight), first_policy(first), second_policy(second);
  update_of(straight, straight_policy);
  update_of(straight, straight_policy);
  update_of(first, first_policy);
  first.save(folder / "policy.pt");
  second.load(folder / "policy.pt", {});
  EXPECT_EQ(second_policy.version(), 1);
  update_of(second, second_policy);
  expect_equal(second, straight);
}

TEST_F(PolicyTrainerTest, BothLogProbForms_AreTheSameMathematics) {
  RunConfig one = policy_config(Precision::float64), two = one;
  two.rl.logprobs = LogprobForm::log_softmax;
  EXPECT_NEAR(train(one)[2].grad_norm, train(two)[2].grad_norm, 1e-14);
}

TEST_F(PolicyTrainerTest, SaysWhyThereIsNoLoss) {
  Trainer trainer(policy_config());
  PolicyTrainer policy(trainer);
  WrittenUpdate update(trainer);
  EXPECT_THAT([&] { policy.forward_backward(update.batches[0], trainer.config().rl, {}); },
              testing::ThrowsMessage<UserError>(HasSubstr("no token of the update counts")));
  RlConfig weighed = trainer.config().rl;
  weighed.kl_coef = 0.1;
  EXPECT_THAT([&] { policy.forward_backward(update.batches[0], weighed, update.divisor); },
              testing::ThrowsMessage<UserError>(HasSubstr("call refer() on it first")));
}

}  // namespace
}  // namespace parity::reference
