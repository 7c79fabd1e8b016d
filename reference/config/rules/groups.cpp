// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "reference/config/rules/rules.hpp"

namespace parity::reference {
namespace {

/// The completions of one prompt, for every prompt the same number.
void check_equal_groups(const RunConfig& config, const Rules& rules) {
  const int64_t all = config.completions();
  rules.at_least(config.rl.group_size, 1, "rl.group_size");
  rules.rule(all % config.rl.group_size == 0, "rl.group_size",
             "it does not divide " +
                 std::string(config.rl.completions > 0 ? "rl.completions" : "data.global_batch") + " = " +
                 std::to_string(all),
             "choose a divisor, since each prompt has as many completions");
}

/// Returns the number of completions up to the end of the group that has the last of `all`.
int64_t end_of_last_group(const RlConfig& rl, int64_t all) {
  int64_t end = 0;
  for (size_t prompt = 0; end < all; ++prompt)
    end += rl.group_of(prompt);
  return end;
}

void check_other_groups(const RunConfig& config, const Rules& rules) {
  const RlConfig& rl = config.rl;
  const int64_t all = config.completions();
  const std::string key = "rl.group_sizes";
  rules.rule(std::ranges::all_of(rl.group_sizes, [all](int64_t size) { return size >= 1 && size <= all; }),
             key, "a prompt has from 1 to all " + std::to_string(all) + " completions of an update",
             "give such numbers");
  rules.used_or_default(false, "rl.group_size", "a run with rl.group_sizes", "leave one of both out");
  const int64_t end = end_of_last_group(rl, all);
  rules.rule(end == all, key,
             "in turn they end after " + std::to_string(end) + " completions, and an update has " +
                 std::to_string(all),
             "choose sizes that end with it");
}

}  // namespace

void check_groups(const RunConfig& config, const Rules& rules) {
  const RlConfig& rl = config.rl;
  rules.at_least(rl.completions, 0, "rl.completions");
  rules.at_least(config.completions(), 1, "data.global_batch");
  const bool differ = !rl.group_sizes.empty();
  if (differ)
    check_other_groups(config, rules);
  else
    check_equal_groups(config, rules);
  const int64_t largest = differ ? *std::ranges::max_element(rl.group_sizes) : rl.group_size;
  const bool keeps_reward =
      rl.advantage == AdvantageRule::sample_std && rl.deviation == DeviationScope::group;
  rules.rule(largest > 1 || rl.loss == PolicyLossName::dpo || keeps_reward || rl.loss == PolicyLossName::sft,
             differ ? "rl.group_sizes" : "rl.group_size",
             "a group of one is its own mean, so that every advantage is 0 and nothing is learned",
             "give 2 or more, or set rl.advantage = \"sample_std\", which keeps such a reward unchanged");
  rules.used_or_default(rl.advantage != AdvantageRule::mean && rl.loss != PolicyLossName::dpo, "rl.deviation",
                        "an advantage that no deviation divides", "set rl.advantage");
  rules.rule(!differ || rl.loss != PolicyLossName::dpo, "rl.group_sizes",
             "dpo compares two completions of each prompt", "leave it out and set rl.group_size = 2");
}

void check_packing(const RunConfig& config, const Rules& rules) {
  const RlConfig& rl = config.rl;
  const bool packs = rl.packing != RolloutPacking::none, masked = rl.packing == RolloutPacking::masked;
  const auto& documents = config.attention.documents;
  rules.used_or_default(packs, "rl.completions", "a run with one rollout a row",
                        "set rl.packing = \"masked\"");
  rules.used_or_default(masked, "attention.documents", "a run whose rows are not divided into rollouts",
                        "set rl.packing = \"masked\"");
  rules.rule(!masked || (!documents.empty() && documents.front() != DocumentBoundary::eos), "rl.packing",
             "a rollout would attend to those before it in its row, unless positions divide them",
             "set attention.documents = [\"position_zero\"] and attention.backend = \"flex\"");
  if (!packs)
    return;
  rules.rule(rl.loss != PolicyLossName::grpo_sequence && rl.loss != PolicyLossName::gspo &&
                 rl.loss != PolicyLossName::dpo,
             "rl.packing", std::string(name_of(rl.loss)) + " takes a row for a completion",
             "choose a loss of tokens, or leave it \"none\"");
  rules.rule(rl.correction == ImportanceCorrection::none || rl.correction_level == CorrectionLevel::token,
             "rl.packing", "rl.correction_level = \"sequence\" takes a row for a completion",
             "set it to \"token\", or leave rl.packing \"none\"");
  rules.used_or_default(false, "rl.largest_gap", "a run whose rows have several rollouts",
                        "check the scores with rl.packing = \"none\"");
  rules.rule(masked || !config.train.batch_invariant, "train.batch_invariant",
             "rollouts that attend to each other have no bits of their own", "set rl.packing = \"masked\"");
}

}  // namespace parity::reference
