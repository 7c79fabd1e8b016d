// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/rl/policy_batch.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
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
    const int64_t length = positions_of(rollout_);
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

int64_t positions_of(const Rollout& rollout) {
  return static_cast<int64_t>(rollout.prompt.size() + rollout.completion.size()) - 1;
}

PolicyBatch empty_row(int64_t seq_len) {
  const auto S = static_cast<size_t>(seq_len);
  PolicyBatch batch;
  batch.rows.seq_len = seq_len;
  append_row(batch.rows, {std::vector<int64_t>(S, 0), std::vector<int64_t>(S, ignored_label),
                          std::vector<int64_t>(S, 0)});
  batch.generator.assign(S, 0);
  batch.advantages.assign(S, 0);
  return batch;
}

void place_rollout(PolicyBatch& batch, const Rollout& rollout, int64_t at) {
  MicroBatch& rows = batch.rows;
  RolloutSpan span{.first = at,
                   .positions = positions_of(rollout),
                   .group = rollout.group,
                   .advantage = rollout.advantage};
  std::ranges::copy(rollout.prompt, rows.tokens.begin() + at);
  for (size_t i = 0; i < rollout.completion.size(); ++i) {
    // the place that the token is predicted from
    const size_t before = static_cast<size_t>(at) + rollout.prompt.size() + i - 1;
    if (i + 1 < rollout.completion.size())
      rows.tokens[before + 1] = rollout.completion[i];
    if (!rollout.loss_mask[i] || !std::isfinite(rollout.logprobs[i]))
      continue;
    rows.labels[before] = rollout.completion[i];
    batch.generator[before] = rollout.logprobs[i];
    batch.advantages[before] = rollout.advantage;
    ++span.tokens;
  }
  for (int64_t i = 0; i < span.positions; ++i)
    rows.positions[static_cast<size_t>(at + i)] = i;
  rows.valid_tokens += span.tokens;
  batch.rollouts.push_back(span);
}

PolicyBatch batch_of(const Rollout& rollout, const RolloutLimits& limits) {
  PolicyBatch batch = empty_row(limits.seq_len);
  place_rollout(batch, rollout, 0);
  if (const int64_t last = positions_of(rollout); last < limits.seq_len)
    batch.rows.tokens[static_cast<size_t>(last)] = rollout.completion.back();
  std::iota(batch.rows.positions.begin(), batch.rows.positions.end(), 0);
  batch.rows.whole_positions = true;
  return batch;
}

void count_groups(std::span<PolicyBatch> rows) {
  std::map<int64_t, int64_t> tokens;
  for (const PolicyBatch& row : rows)
    for (const RolloutSpan& rollout : row.rollouts)
      tokens[rollout.group] += rollout.tokens;
  for (PolicyBatch& row : rows)
    for (RolloutSpan& rollout : row.rollouts)
      rollout.tokens_of_group = tokens[rollout.group];
}

void append(PolicyBatch& batch, const PolicyBatch& more) {
  if (batch.rows.rows == 0) {
    batch = more;
    return;
  }
  const auto before = static_cast<int64_t>(batch.rows.tokens.size());
  const auto join = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  join(batch.rows.tokens, more.rows.tokens);
  join(batch.rows.labels, more.rows.labels);
  join(batch.rows.positions, more.rows.positions);
  join(batch.generator, more.generator);
  join(batch.reference, more.reference);
  join(batch.advantages, more.advantages);
  for (RolloutSpan rollout : more.rollouts) {
    rollout.first += before;
    batch.rollouts.push_back(rollout);
  }
  batch.rows.rows += more.rows.rows;
  batch.rows.valid_tokens += more.rows.valid_tokens;
  batch.rows.whole_positions = batch.rows.whole_positions && more.rows.whole_positions;
}

std::vector<double> PolicyBatch::rollout_advantages() const {
  std::vector<double> result;
  for (const RolloutSpan& rollout : rollouts)
    if (rollout.tokens > 0)
      result.push_back(rollout.advantage);
  return result;
}

PolicyDivisor divisor_of(std::span<const PolicyBatch> batches, int64_t ranks) {
  PolicyDivisor divisor{.ranks = ranks};
  std::set<int64_t> prompts;
  for (const PolicyBatch& batch : batches) {
    divisor.tokens += batch.rows.valid_tokens;
    const std::vector<double> advantages = batch.rollout_advantages();
    divisor.completions += static_cast<int64_t>(advantages.size());
    divisor.pairs += std::ranges::count_if(advantages, [](double a) { return a > 0; });
    for (const RolloutSpan& rollout : batch.rollouts)
      if (rollout.tokens > 0)
        prompts.insert(rollout.group);
  }
  divisor.prompts = static_cast<int64_t>(prompts.size());
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
