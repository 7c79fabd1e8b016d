// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/rl/controller.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <numeric>

#include "harness/base/error.hpp"
#include "harness/measure/tensor/digest.hpp"
#include "reference/comm/group.hpp"
#include "reference/config/model_names.hpp"
#include "reference/exact/exact.hpp"
#include "reference/parallel/core/parallel.hpp"
#include "reference/rl/advantages.hpp"
#include "reference/rl/gap_bill.hpp"
#include "reference/rl/packed_rows.hpp"
#include "reference/rl/score_check.hpp"
#include "reference/train/step/trainer.hpp"

namespace parity::reference {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Returns the group of neighbouring ranks that form one generator.
std::shared_ptr<Group> generator_ranks(const RunConfig& config, const Group& world) {
  const int64_t size = config.rl.generator.tp, first = world.rank() / size * size;
  std::vector<int64_t> ranks(static_cast<size_t>(size));
  std::iota(ranks.begin(), ranks.end(), first);
  return world.subgroup("generator", ranks);
}

GeneratorOptions generator_options(const RunConfig& config, std::shared_ptr<Group> ranks) {
  const auto& generator = config.rl.generator;
  GeneratorOptions options;
  options.tensor = std::move(ranks);
  options.dtype = generator_dtype(config);
  options.max_sequences = generator.max_sequences;
  options.max_tokens = generator.max_tokens;
  options.cache = generator.cache;
  options.batch_invariant = config.train.batch_invariant;
  options.tp_sum_pieces = config.parallel.tp_sum_pieces;
  options.temperature = config.rl.temperature;
  options.eos_id = SumOfDigits::end;
  options.seed = static_cast<uint64_t>(config.data.seed);
  return options;
}

int64_t longest_lag(const RlConfig& config) {
  return config.max_lag > 0 ? config.max_lag : config.push_every - 1 + config.staleness;
}

RolloutLimits limits_of(const RunConfig& config, const ModelDimensions& model, int64_t version) {
  return {config.data.seq_len, model.vocab_size, version, longest_lag(config.rl), config.rl.unknown_logprobs};
}

/// Returns the groups of an update's completions in order.
std::vector<RewardGroup> groups_of(const RunConfig& config) {
  std::vector<RewardGroup> groups;
  const auto all = static_cast<size_t>(config.completions());
  for (size_t first = 0; first < all; first += groups.back().size)
    groups.push_back({first, static_cast<size_t>(config.rl.group_of(groups.size()))});
  return groups;
}

std::vector<double> preferences_of_groups(const std::vector<double>& rewards,
                                          const std::vector<RewardGroup>& groups) {
  std::vector<double> result;
  for (const RewardGroup& group : groups)
    std::ranges::copy(preferences(std::span(rewards).subspan(group.first, group.size)),
                      std::back_inserter(result));
  return result;
}

/// Computes a digest of the prompt and completion of each rollout, with their lengths.
int64_t digest_of_rollouts(const std::vector<Rollout>& rollouts) {
  std::vector<int64_t> numbers;
  for (const Rollout& rollout : rollouts)
    for (const std::vector<int64_t>* tokens : {&rollout.prompt, &rollout.completion}) {
      numbers.push_back(static_cast<int64_t>(tokens->size()));
      numbers.insert(numbers.end(), tokens->begin(), tokens->end());
    }
  const measure::Digest digest =
      measure::digest_of({DType::int64, {static_cast<int64_t>(numbers.size())}, numbers.data()});
  return static_cast<int64_t>(digest.low ^ digest.high);
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

}  // namespace

Controller::Controller(Trainer& trainer)
    : trainer_(trainer),
      config_(trainer.config()),
      task_(config_.rl.digits, config_.data.seed),
      policy_(trainer),
      generator_ranks_(generator_ranks(config_, trainer.world())),
      generator_(trainer.dimensions(), generator_options(config_, generator_ranks_)),
      served_(trainer, generator_) {
  if (!config_.data.path.empty())
    imported_.emplace(config_, trainer.dimensions().vocab_size);
}

std::vector<Completion> Controller::complete(const std::vector<GenerationRequest>& requests) {
  const Group& world = trainer_.world();
  const auto count = static_cast<int64_t>(requests.size()), longest = config_.rl.max_new_tokens;
  const int64_t generators = world.size() / generator_ranks_->size();
  const int64_t own = world.rank() / generator_ranks_->size();
  const int64_t first = own * count / generators, end = (own + 1) * count / generators;
  const std::vector<Completion> here =
      generator_.generate(std::span(requests).subspan(first, static_cast<size_t>(end - first)));
  // Sums with zeros: every completion comes from the first rank of one generator.
  const torch::Tensor numbers = torch::zeros({count, longest + 3}, torch::kInt64);
  const torch::Tensor logprobs = torch::zeros({count, longest}, torch::kFloat64);
  for (int64_t i = first; i < end && generator_ranks_->rank() == 0; ++i) {
    const Completion& completion = here[static_cast<size_t>(i - first)];
    auto* row = numbers[i].data_ptr<int64_t>();
    *row++ = static_cast<int64_t>(completion.tokens.size());
    *row++ = completion.ended ? 1 : 0;
    *row++ = completion.version;
    std::ranges::copy(completion.tokens, row);
    std::ranges::copy(completion.logprobs, logprobs[i].data_ptr<double>());
  }
  world.all_reduce(numbers);
  world.all_reduce(logprobs);
  std::vector<Completion> all;
  for (int64_t i = 0; i < count; ++i) {
    const auto* row = numbers[i].const_data_ptr<int64_t>();
    const auto* values = logprobs[i].const_data_ptr<double>();
    Completion& completion = all.emplace_back();
    completion.tokens.assign(row + 3, row + 3 + row[0]);
    completion.logprobs.assign(values, values + row[0]);
    completion.ended = row[1] != 0;
    completion.version = row[2];
  }
  return all;
}

std::vector<Rollout> Controller::generate(int64_t update) {
  served_.begin();
  const auto rows = static_cast<uint64_t>(config_.completions());
  std::vector<GenerationRequest> requests;
  for (int64_t prompt = 0; const RewardGroup& group : groups_of(config_)) {
    for (size_t row = group.first; row < group.first + group.size; ++row)
      requests.push_back({task_.prompt(update, prompt), config_.rl.max_new_tokens,
                          static_cast<uint64_t>(update) * rows + row});
    ++prompt;
  }
  const exact::ValuesAlone values;  // completions are read out
  std::vector<Completion> completions = complete(requests);
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
    gap = bill_of_gap(trainer_, policy_, generator_.parameters(), generator_dtype(config_), batches);
  StepResult result = learn(batches, divisor_of(rows, ranks.size()));
  describe(*result.policy, rollouts, version);
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
