// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/rl/policy_batch.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "harness/base/error.hpp"

namespace parity::reference {
namespace {

/// Checks the rules of one rollout, and names its place in messages.
class RolloutRules {
 public:
  RolloutRules(const Rollout& rollout, size_t index, const RolloutLimits& limits)
      : rollout_(rollout), who_("rollout " + std::to_string(index)), limits_(limits) {}

  void check() const {
    check_parts();
    check_tokens();
    check_numbers();
    check_version();
  }

 private:
  void rule(bool holds, const std::string& what) const {
    if (!holds)
      throw UserError(who_ + " " + what);
  }

  void check_parts() const {
    const size_t n = rollout_.completion.size();
    rule(!rollout_.prompt.empty(), "has no prompt (the completion continues nothing); leave it out");
    rule(n > 0, "has no completion (there is nothing to learn from); leave it out");
    rule(rollout_.logprobs.size() == n && rollout_.loss_mask.size() == n,
         "has " + std::to_string(n) + " tokens of completion, but " +
             std::to_string(rollout_.logprobs.size()) + " log probabilities and a loss mask of " +
             std::to_string(rollout_.loss_mask.size()) + " (each token has one); give as many");
    rule(std::ranges::find(rollout_.loss_mask, true) != rollout_.loss_mask.end(),
         "has no token that counts (its loss mask is all false, so there is nothing to learn); leave it out");
    const auto length = static_cast<int64_t>(rollout_.prompt.size() + n) - 1;
    rule(length <= limits_.seq_len, "takes " + std::to_string(length) + " positions (data.seq_len is " +
                                        std::to_string(limits_.seq_len) +
                                        "); shorten it or lengthen the rows");
  }

  void check_tokens() const {
    for (const std::vector<int64_t>* tokens : {&rollout_.prompt, &rollout_.completion})
      for (const int64_t token : *tokens)
        rule(token >= 0 && token < limits_.vocab_size,
             "has the token " + std::to_string(token) + " (the vocabulary has " +
                 std::to_string(limits_.vocab_size) + "); raise architecture.vocab_size");
  }

  void check_numbers() const {
    rule(std::isfinite(rollout_.advantage), "has the advantage " + std::to_string(rollout_.advantage) +
                                                " (every gradient would be that too); fix its reward");
    for (size_t i = 0; i < rollout_.logprobs.size(); ++i)
      rule(limits_.unknown == UnknownLogprobs::drop || !rollout_.loss_mask[i] ||
               std::isfinite(rollout_.logprobs[i]),
           "was sampled with log probability " + std::to_string(rollout_.logprobs[i]) + " at token " +
               std::to_string(i) +
               " of its completion (it gives no ratio); check the generator's logits, or leave "
               "such tokens out with rl.unknown_logprobs = \"drop\"");
  }

  void check_version() const {
    const std::string says = "was written by policy version " + std::to_string(rollout_.version) +
                             ", and the trainer has version " + std::to_string(limits_.version);
    rule(rollout_.version <= limits_.version,
         says + " (it belongs to another run, or the trainer was reset); push before generating");
    rule(limits_.version - rollout_.version <= limits_.max_lag,
         says + " (the lag may be at most " + std::to_string(limits_.max_lag) +
             "); push the weights and generate again, or raise rl.max_lag");
  }

  const Rollout& rollout_;
  std::string who_;
  const RolloutLimits& limits_;
};

}  // namespace

void require_usable(std::span<const Rollout> rollouts, const RolloutLimits& limits) {
  if (rollouts.empty())
    throw UserError(
        "cannot make an update without rollouts (there is nothing to learn from); generate some first");
  for (size_t i = 0; i < rollouts.size(); ++i)
    RolloutRules(rollouts[i], i, limits).check();
}

PolicyBatch batch_of(const Rollout& rollout, const RolloutLimits& limits) {
  const auto S = static_cast<size_t>(limits.seq_len);
  Row row{std::vector<int64_t>(S, 0), std::vector<int64_t>(S, ignored_label), std::vector<int64_t>(S)};
  PolicyBatch batch;
  batch.rows.seq_len = limits.seq_len;
  batch.generator.assign(S, 0);
  batch.advantages.assign(S, 0);
  std::ranges::copy(rollout.prompt, row.tokens.begin());
  for (size_t i = 0; i < S; ++i)
    row.positions[i] = static_cast<int64_t>(i);
  for (size_t i = 0; i < rollout.completion.size(); ++i) {
    const size_t before = rollout.prompt.size() + i - 1;  // the place that the token is predicted from
    if (before + 1 < S)
      row.tokens[before + 1] = rollout.completion[i];
    if (!rollout.loss_mask[i] || !std::isfinite(rollout.logprobs[i]))
      continue;
    row.labels[before] = rollout.completion[i];
    batch.generator[before] = rollout.logprobs[i];
    batch.advantages[before] = rollout.advantage;
  }
  append_row(batch.rows, row);
  return batch;
}

void append(PolicyBatch& batch, const PolicyBatch& more) {
  if (batch.rows.rows == 0) {
    batch = more;
    return;
  }
  const auto join = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  join(batch.rows.tokens, more.rows.tokens);
  join(batch.rows.labels, more.rows.labels);
  join(batch.rows.positions, more.rows.positions);
  join(batch.generator, more.generator);
  join(batch.reference, more.reference);
  join(batch.advantages, more.advantages);
  batch.rows.rows += more.rows.rows;
  batch.rows.valid_tokens += more.rows.valid_tokens;
  batch.rows.whole_positions = batch.rows.whole_positions && more.rows.whole_positions;
}

std::vector<double> PolicyBatch::row_advantages() const {
  std::vector<double> result;
  for (int64_t row = 0; row < rows.rows; ++row) {
    const auto begin = rows.labels.begin() + row * rows.seq_len, end = begin + rows.seq_len;
    const auto counts = std::find_if(begin, end, [](int64_t label) { return label != ignored_label; });
    if (counts != end)
      result.push_back(advantages[static_cast<size_t>(counts - rows.labels.begin())]);
  }
  return result;
}

PolicyDivisor divisor_of(std::span<const PolicyBatch> batches, int64_t ranks) {
  PolicyDivisor divisor{.ranks = ranks};
  for (const PolicyBatch& batch : batches) {
    divisor.tokens += batch.rows.valid_tokens;
    const std::vector<double> advantages = batch.row_advantages();
    divisor.completions += static_cast<int64_t>(advantages.size());
    divisor.pairs += std::ranges::count_if(advantages, [](double a) { return a > 0; });
  }
  return divisor;
}

std::vector<PolicyBatch> own_batches(std::span<const PolicyBatch> rows, RowShare share,
                                     int64_t micro_batches) {
  const auto all = static_cast<int64_t>(rows.size());
  require(all % (share.count * micro_batches) == 0, "rows do not fall into equal micro-batches");
  const int64_t each = all / share.count / micro_batches;
  std::vector<PolicyBatch> batches(static_cast<size_t>(micro_batches));
  auto next = rows.begin() + share.index * (all / share.count);
  for (PolicyBatch& batch : batches)
    for (int64_t row = 0; row < each; ++row)
      append(batch, *next++);
  return batches;
}

}  // namespace parity::reference
