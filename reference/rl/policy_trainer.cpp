// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/rl/policy_trainer.hpp"

#include <chrono>
#include <cmath>
#include <limits>

#include "harness/base/error.hpp"
#include "harness/base/hash.hpp"
#include "reference/exact/exact.hpp"
#include "reference/model/parameter.hpp"
#include "reference/parallel/core/parallel.hpp"
#include "reference/train/step/token_outputs.hpp"
#include "reference/train/step/trainer.hpp"

namespace parity::reference {
namespace {

bool wants_reference(const RlConfig& config) {
  return config.loss == PolicyLossName::dpo || config.reference == ReferencePolicy::always ||
         (config.reference == ReferencePolicy::when_weighted && config.kl_coef > 0);
}

torch::Tensor view_of(const std::vector<double>& values, const MicroBatch& rows) {
  return torch::from_blob(const_cast<double*>(values.data()), {rows.rows, rows.seq_len}, torch::kFloat64);
}

/// Returns numbers that tell the tokens of a batch apart by their rollout's tokens and their position, on
/// every rank and in every row alike; 0 of padding. [B, S]
torch::Tensor places_of(const PolicyBatch& data) {
  constexpr uint64_t largest = std::numeric_limits<int64_t>::max();
  const MicroBatch& rows = data.rows;
  const torch::Tensor places = torch::zeros({rows.rows, rows.seq_len}, torch::kInt64);
  auto* const to = places.mutable_data_ptr<int64_t>();
  for (const RolloutSpan& rollout : data.rollouts) {
    const auto first = static_cast<size_t>(rollout.first), n = static_cast<size_t>(rollout.positions);
    uint64_t of_rollout = 0;
    for (size_t i = first; i < first + n; ++i)
      of_rollout = splitmix64(of_rollout ^ static_cast<uint64_t>(rows.tokens[i]));
    for (size_t i = 0; i < n; ++i)
      to[first + i] = static_cast<int64_t>(splitmix64(of_rollout + i) & largest);
  }
  return places;
}

/// Returns PolicyTokens::lengths of rows whose tokens differ in what divides them. [B, S] int64
torch::Tensor shared_lengths(const PolicyBatch& data, const RlConfig& config) {
  const torch::Tensor lengths = torch::ones({data.rows.rows * data.rows.seq_len}, torch::kInt64);
  const bool by_prompt = config.normalization == PolicyNormalization::prompt_mean;
  for (const RolloutSpan& rollout : data.rollouts)
    lengths.narrow(0, rollout.first, rollout.positions)
        .fill_(by_prompt ? rollout.tokens_of_group : rollout.tokens);
  return lengths.view({data.rows.rows, data.rows.seq_len});
}

/// Returns a view of numbers that other policies computed. In an exact twin they are variables, named by the
/// tokens: their values round, so that they are not the same constants in every layout.
torch::Tensor given(const std::vector<double>& values, const PolicyBatch& data, const std::string& name) {
  torch::Tensor view = view_of(values, data.rows);
  if (exact::is_active())
    exact::draw(view, "rollout/" + name, places_of(data));
  return view;
}

/// Returns the batch as the loss takes it, for the tokens that the model has just processed.
PolicyTokens tokens_of(const PolicyBatch& data, const TokenOutputs& outputs, const torch::Tensor& counts_BS,
                       const RlConfig& config) {
  const auto own = [&](const torch::Tensor& values) {
    return outputs.own(values).to(outputs.logprobs.scalar_type());
  };
  const torch::Tensor advantages = exact::filled_with_constants(view_of(data.advantages, data.rows));
  PolicyTokens tokens{
      outputs.logprobs, outputs.entropy,       own(given(data.generator, data, "generator")), {},
      own(advantages),  outputs.own(counts_BS)};
  tokens.lengths =
      outputs.own(shares_by_token(config) ? shared_lengths(data, config)
                                          : counts_BS.sum(-1, true).expand_as(counts_BS).contiguous());
  if (!data.reference.empty())
    tokens.reference = own(given(data.reference, data, "reference"));
  return tokens;
}

void add_advantages(PolicyMetrics& metrics, const std::vector<double>& own, const Group& batch_ranks) {
  const torch::Tensor values = exact::filled_with_constants(torch::tensor(own, torch::kFloat64));
  const torch::Tensor sums =
      torch::stack({torch::full({}, static_cast<double>(own.size()), torch::kFloat64), values.sum()});
  batch_ranks.all_reduce(sums);
  const auto n = sums[0].item<double>();
  metrics.advantage_mean = sums[1].item<double>() / n;
  const torch::Tensor squares = (values - metrics.advantage_mean).square().sum().view({1});
  batch_ranks.all_reduce(squares);
  metrics.advantage_std = n > 1 ? std::sqrt(squares.item<double>() / (n - 1)) : 0;
}

PolicyMetrics metrics_of(const PolicySums& sums, const RlConfig& loss, bool has_reference) {
  PolicyMetrics metrics;
  metrics.ratio_mean = sums.ratio / sums.terms;
  metrics.ratio_clipped = sums.clipped / sums.terms;
  metrics.logprob_diff_mean = sums.diff / sums.tokens;
  metrics.logprob_diff_max = sums.max_diff;
  metrics.logprobs_different = sums.different / sums.tokens;
  metrics.logprobs_equal = sums.equal / sums.tokens;
  metrics.entropy = sums.entropy / sums.tokens;
  if (has_reference)
    metrics.kl = sums.kl / sums.terms;
  if (loss.correction != ImportanceCorrection::none) {
    metrics.correction_mean = sums.correction / sums.tokens;
    metrics.correction_cut = sums.cut / sums.tokens;
  }
  if (loss.loss == PolicyLossName::dpo) {  // NaN for a call without a preference
    metrics.preference_margin = sums.margin / sums.pairs;
    metrics.preference_accuracy = sums.preferred / sums.pairs;
  }
  return metrics;
}

}  // namespace

PolicyTrainer::PolicyTrainer(Trainer& trainer) : trainer_(trainer) {
  if (wants_reference(trainer.config().rl))
    reference_values_ = trainer.copied_values();
}

int64_t PolicyTrainer::version() const {
  return trainer_.updates_done();
}

void PolicyTrainer::zero_grad() {
  trainer_.zero_grad();
}

void PolicyTrainer::sum_over_ranks(PolicySums& sums) const {
  std::vector<double*> numbers = {&sums.tokens,    &sums.terms, &sums.ratio,   &sums.clipped, &sums.diff,
                                  &sums.different, &sums.equal, &sums.entropy, &sums.kl};
  const RlConfig& rl = trainer_.config().rl;
  if (rl.correction != ImportanceCorrection::none)
    numbers.insert(numbers.end(), {&sums.correction, &sums.cut});
  if (rl.loss == PolicyLossName::dpo)
    numbers.insert(numbers.end(), {&sums.pairs, &sums.margin, &sums.preferred});
  const torch::Tensor added = torch::empty({static_cast<int64_t>(numbers.size())}, torch::kFloat64);
  for (size_t i = 0; i < numbers.size(); ++i)
    added[static_cast<int64_t>(i)] = *numbers[i];
  const torch::Tensor largest = torch::full({1}, sums.max_diff, torch::kFloat64);
  for (const auto& ranks : {trainer_.parallel().loss, trainer_.parallel().pipeline}) {
    ranks->all_reduce(added);
    ranks->all_reduce(largest, Reduction::max);
  }
  for (size_t i = 0; i < numbers.size(); ++i)
    *numbers[i] = added[static_cast<int64_t>(i)].item<double>();
  sums.max_diff = largest.item<double>();
}

PolicyMetrics PolicyTrainer::forward_backward(const PolicyBatch& data, const RlConfig& loss,
                                              const PolicyDivisor& divisor) {
  if (divisor.tokens == 0)
    throw UserError(
        "no token of the update counts (loss masks and rl.unknown_logprobs = \"drop\" leave none, so the "
        "loss would be 0 / 0); leave such rollouts out");
  if (loss.loss == PolicyLossName::dpo && divisor.pairs == 0)
    throw UserError(
        "no pair of the update has a preference (both completions of each prompt have the same reward, so "
        "dpo "
        "has nothing to learn); give rollouts with different rewards");
  if (loss.loss == PolicyLossName::dpo && data.reference.empty())
    throw UserError(
        "cannot use rl.loss = \"dpo\" (the batch has no log probabilities of the reference policy); call "
        "refer() on it first");
  if (loss.kl_coef > 0 && data.reference.empty())
    throw UserError(
        "cannot use rl.kl_coef = " + std::to_string(loss.kl_coef) +
        " (the batch has no log probabilities of the reference policy); call refer() on it first");
  const torch::Tensor counts_BS =
      torch::tensor(data.rows.labels).view({data.rows.rows, data.rows.seq_len}).ne(ignored_label);
  MicroBatch rows = data.rows;
  rows.numbers = {{"generator_logprobs", data.generator}, {"advantages", data.advantages}};
  if (!data.reference.empty())
    rows.numbers["reference_logprobs"] = data.reference;
  PolicySums sums;
  torch::Tensor own_loss = torch::zeros({1}, torch::kFloat64);
  trainer_.forward_backward(rows, [&](const TokenOutputs& outputs) {
    PolicyLoss result = policy_loss(tokens_of(data, outputs, counts_BS, loss), loss, divisor);
    sums += result.sums;
    own_loss += result.loss.detach().cpu().to(torch::kFloat64);
    return result.loss;
  });
  sum_over_ranks(sums);
  trainer_.parallel().loss->all_reduce(own_loss);
  trainer_.parallel().pipeline->all_reduce(own_loss);
  PolicyMetrics metrics = metrics_of(sums, loss, !data.reference.empty());
  metrics.loss = own_loss.item<double>();
  if (loss.normalization == PolicyNormalization::times_dp)
    metrics.loss /= static_cast<double>(divisor.ranks);
  const std::vector<double> advantages = data.rollout_advantages();
  add_advantages(metrics, advantages, *trainer_.parallel().batch);
  update_advantages_.insert(update_advantages_.end(), advantages.begin(), advantages.end());
  update_ += sums;
  return metrics;
}

StepResult PolicyTrainer::optim_step(const UpdateNumbers& numbers) {
  StepResult result = trainer_.optim_step(numbers);
  PolicyResult& policy = result.policy.emplace();
  policy.metrics = metrics_of(update_, trainer_.config().rl, has_reference());
  policy.metrics.loss = result.loss;
  add_advantages(policy.metrics, update_advantages_, *trainer_.parallel().batch);
  update_ = {};
  update_advantages_.clear();
  return result;
}

StepResult PolicyTrainer::step(std::span<const PolicyBatch> data, const RlConfig& loss,
                               const PolicyDivisor& divisor, const UpdateNumbers& numbers) {
  const auto start = std::chrono::steady_clock::now();
  zero_grad();
  for (const PolicyBatch& batch : data)
    forward_backward(batch, loss, divisor);
  StepResult result = optim_step(numbers);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

torch::Tensor PolicyTrainer::forward(const PolicyBatch& data) const {
  return trainer_.forward(data.rows);
}

void PolicyTrainer::refer(PolicyBatch& data) {
  require(has_reference(), "this run keeps no reference policy");
  trainer_.swap_values(reference_values_);
  const torch::Tensor logprobs = forward(data).contiguous();
  trainer_.swap_values(reference_values_);
  data.reference.assign(logprobs.const_data_ptr<double>(),
                        logprobs.const_data_ptr<double>() + logprobs.numel());
}

}  // namespace parity::reference
