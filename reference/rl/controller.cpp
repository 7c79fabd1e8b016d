// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/rl/controller.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "harness/base/error.hpp"
#include "reference/comm/group.hpp"
#include "reference/config/model_names.hpp"
#include "reference/exact/exact.hpp"
#include "reference/parallel/core/parallel.hpp"
#include "reference/rl/advantages.hpp"
#include "reference/rl/gap_bill.hpp"
#include "reference/rl/packed_rows.hpp"
#include "reference/rl/score_check.hpp"
#include "reference/rl/serving/completions.hpp"
#include "reference/rl/sum_of_digits.hpp"
#include "reference/train/step/trainer.hpp"

namespace parity::reference {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

int64_t longest_lag(const RlConfig& config) {
  return config.max_lag > 0 ? config.max_lag : config.push_every - 1 + config.staleness;
}

RolloutLimits limits_of(const RunConfig& config, const ModelDimensions& model, int64_t version) {
  return {config.data.seq_len, model.vocab_size, version, longest_lag(config.rl), config.rl.unknown_logprobs};
}

std::vector<double> preferences_of_groups(const std::vector<double>& rewards,
                                          const std::vector<RewardGroup>& groups) {
  std::vector<double> result;
  for (const RewardGroup& group : groups)
    std::ranges::copy(preferences(std::span(rewards).subspan(group.first, group.size)),
                      std::back_inserter(result));
  return result;
}

int64_t digest_of_rollouts(const std::vector<Rollout>& rollouts) {
  std::vector<std::span<const int64_t>> sequences;
  for (const Rollout& rollout : rollouts)
    sequences.insert(sequences.end(), {rollout.prompt, rollout.completion});
  return digest_of_tokens(sequences);
}

int64_t latest_version(const std::vector<Rollout>& rollouts) {
  return std::ranges::max(rollouts, {}, &Rollout::version).version;
}

void describe(PolicyResult& result, const std::vector<Rollout>& rollouts, int64_t version) {
  const auto n = static_cast<double>(rollouts.size());
  for (const Rollout& rollout : rollouts) {
    result.reward_mean += rollout.reward / n;
    result.reward_exact += (rollout.reward == 1 ? 1 : 0) / n;
    result.response_length += static_cast<double>(rollout.completion.size()) / n;
    result.version_lag = std::max(result.version_lag, version - rollout.version);
  }
  result.rollout_digest = digest_of_rollouts(rollouts);
}

/// Returns the server of a rank that generates.
std::optional<PolicyServer> make_server(const Trainer& trainer, const PolicyRanks& ranks) {
  if (!ranks.tensor)
    return std::nullopt;
  return std::optional<PolicyServer>(std::in_place, trainer.config(), trainer.dimensions(), ranks);
}

}  // namespace

Controller::Controller(Trainer& trainer, GroupPointer all)
    : trainer_(trainer),
      config_(trainer.config()),
      policy_(trainer),
      ranks_(policy_ranks(config_, all ? std::move(all) : trainer.parallel().world)),
      server_(make_server(trainer, ranks_)),
      served_(trainer, server_ ? &*server_ : nullptr, ranks_.all) {
  if (!config_.data.path.empty())
    imported_.emplace(config_, trainer.dimensions().vocab_size);
}

std::vector<Rollout> Controller::generate(int64_t update) {
  served_.begin();
  std::vector<GenerationRequest> requests = requests_of(config_, update);
  const exact::ValuesAlone values;  // completions are read out
  const std::vector<Completion> own = server_ ? server_->complete(requests) : std::vector<Completion>();
  std::vector<Completion> completions =
      exchange_completions(ranks_, own, static_cast<int64_t>(requests.size()), config_.rl.max_new_tokens);
  std::vector<Rollout> rollouts;
  for (size_t i = 0; i < requests.size(); ++i) {
    Rollout& rollout = rollouts.emplace_back();
    rollout.prompt = std::move(requests[i].prompt);
    rollout.completion = std::move(completions[i].tokens);
    rollout.logprobs = std::move(completions[i].logprobs);
    rollout.loss_mask.assign(rollout.completion.size(), true);
    rollout.ended = completions[i].ended;
    rollout.version = completions[i].version;
  }
  reward(rollouts);
  return rollouts;
}

void Controller::reward(std::vector<Rollout>& rollouts) const {
  for (Rollout& rollout : rollouts)
    rollout.reward = SumOfDigits::reward(rollout.prompt, rollout.completion) -
                     overlong_punishment(static_cast<int64_t>(rollout.completion.size()),
                                         config_.rl.max_new_tokens, config_.rl.overlong_buffer);
}

void Controller::judge(std::vector<Rollout>& rollouts) const {
  std::vector<double> rewards;
  for (const Rollout& rollout : rollouts)
    rewards.push_back(rollout.reward);
  const std::vector<RewardGroup> groups = groups_of(config_);
  const std::vector<double> values =
      config_.rl.loss == PolicyLossName::dpo
          ? preferences_of_groups(rewards, groups)
          : update_advantages(rewards, groups, config_.rl.advantage, config_.rl.deviation);
  for (size_t group = 0; group < groups.size(); ++group)
    for (size_t i = groups[group].first; i < groups[group].first + groups[group].size; ++i) {
      rollouts[i].advantage = values[i];
      rollouts[i].group = static_cast<int64_t>(group);
    }
}

std::vector<PolicyBatch> Controller::rows_of(const std::vector<Rollout>& rollouts,
                                             const RolloutLimits& limits) const {
  const Group& ranks = *trainer_.parallel().batch;
  return own_batches(single_rows(rollouts, limits), {ranks.rank(), ranks.size()}, config_.data.micro_batches);
}

void Controller::check_scores_of(int64_t update) {
  const std::vector<Rollout> rollouts = imported_->of_update(update);
  const Group& ranks = *trainer_.parallel().batch;
  ScoreCheck check;
  for (const Rollout& rollout : rollouts)
    check.fresh.push_back(rollout.version == policy_.version());
  if (std::ranges::find(check.fresh, true) == check.fresh.end())
    return;
  const RolloutLimits limits = limits_of(config_, trainer_.dimensions(), update - 1);
  require_usable(rollouts, limits);
  check.share = {ranks.rank(), ranks.size()};
  check.largest = config_.rl.largest_gap;
  check.place = [&](int64_t row) { return imported_->place(update, row); };
  scored_[update] += check_scores(policy_, rows_of(rollouts, limits), check, trainer_.world(), ranks);
}

std::optional<double> Controller::check_imported() {
  if (config_.rl.largest_gap == 0)
    return std::nullopt;
  const int64_t next = policy_.version() + 1;
  const int64_t last = std::min(config_.steps, next + longest_lag(config_.rl));
  for (int64_t update = next; update <= last && imported_->has_update(update); ++update)
    check_scores_of(update);
  if (scored_[next] == 0)
    throw UserError("rl.largest_gap has nothing to compare in update " + std::to_string(next) +
                    " (versions before the start of this run wrote all its rollouts); resume from an older "
                    "checkpoint, or set rl.largest_gap = 0 to train on them unchecked");
  return scored_[next];
}

StepResult Controller::call_by_call(std::span<PolicyBatch> batches, const PolicyDivisor& divisor,
                                    const UpdateNumbers& numbers) {
  for (const PolicyBatch& batch : batches) {
    if (config_.train.update == UpdateCall::halves_zeroing)
      policy_.zero_grad();
    policy_.forward_backward(batch, config_.rl, divisor);
  }
  StepResult result = policy_.optim_step(numbers);
  policy_.zero_grad();
  return result;
}

StepResult Controller::learn(std::span<PolicyBatch> batches, const PolicyDivisor& divisor) {
  if (policy_.has_reference())
    for (PolicyBatch& batch : batches)
      policy_.refer(batch);
  UpdateNumbers numbers;
  if (config_.rl.controller_lr > 0)
    numbers.lr = config_.rl.controller_lr;
  return config_.train.update == UpdateCall::step ? policy_.step(batches, config_.rl, divisor, numbers)
                                                  : call_by_call(batches, divisor, numbers);
}

StepResult Controller::update() {
  const auto start = Clock::now();
  const int64_t version = policy_.version();
  std::vector<Rollout> rollouts = imported_ ? imported_->of_update(version + 1) : generate(version + 1);
  const double generated = seconds_since(start);
  judge(rollouts);
  const RolloutLimits limits = limits_of(config_, trainer_.dimensions(), version);
  require_usable(rollouts, limits);
  const std::vector<PolicyBatch> rows = config_.rl.packing == RolloutPacking::none
                                            ? single_rows(rollouts, limits)
                                            : packed_rows(rollouts, limits, config_.data.global_batch);
  const Group& ranks = *trainer_.parallel().batch;
  std::vector<PolicyBatch> batches =
      own_batches(rows, {ranks.rank(), ranks.size()}, config_.data.micro_batches);
  const std::optional<double> checked = check_imported();
  std::map<std::string, double> gap;
  if (config_.rl.bill)
    gap = bill_of_gap(trainer_, policy_, server_->weights(), generator_dtype(config_), batches);
  if (!imported_)
    served_.before_update();
  StepResult result = learn(batches, divisor_of(rows, ranks.size()));
  describe(*result.policy, rollouts, version);
  if (config_.rl.generator.ranks > 0)
    result.policy->served_version = latest_version(rollouts);
  result.policy->rollouts_checked = checked;
  result.policy->gap = std::move(gap);
  result.policy->generated_tokens_per_second =
      result.policy->response_length * static_cast<double>(rollouts.size()) / generated;
  if (!imported_)
    result.policy->push_seconds = served_.after_update();
  result.seconds = seconds_since(start);
  return result;
}

}  // namespace parity::reference
