// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/coverage/propose/arm_settings.hpp"

#include <algorithm>
#include <string>

namespace parity::coverage {
namespace {

using suite::FlatConfig;
using suite::integer_of;

constexpr int64_t most_ranks = 4;

bool averages_pieces(const FlatConfig& base) {
  return suite::text_of(base, "loss.normalization") == "microbatch_mean";
}

/// Returns whether an arm may have another value than its base, and still compute the same.
bool may_override(const FlatConfig& base, const std::string& key) {
  return key == "attention.backend" || key == "parallel.replicate_with" ||
         (key == "data.micro_batches" && averages_pieces(base));
}

/// Keys of the model. An arm cannot add one to its base.
bool is_of_model(const std::string& key) {
  return key.starts_with("moe.") || key.starts_with("architecture.");
}

int64_t ranks_of(const FlatConfig& settings) {
  int64_t ranks = 1;
  for (const char* key : {"dp_replicate", "dp_shard", "tp", "cp", "pp"})
    ranks *= integer_of(settings, std::string("parallel.") + key, 1);
  return ranks + integer_of(settings, "rl.generator.ranks", 0);
}

/// Returns the pieces that a layout cuts an update into, apart from micro-batches.
/// \param prefix  "parallel." or "checkpoint.resume_"
int64_t pieces_of(const FlatConfig& arm, const std::string& prefix) {
  const auto size = [&](const char* key) {
    const int64_t own = integer_of(arm, std::string("parallel.") + key, 1);
    const int64_t asked = integer_of(arm, prefix + key, own);
    return asked > 0 ? asked : own;
  };
  return size("dp_replicate") * size("dp_shard") *
         (size("pp") > 1 ? integer_of(arm, "parallel.pp_microbatches", 1) : 1);
}

}  // namespace

std::optional<FlatConfig> with_recipe(const FlatConfig& base, const FlatConfig& arm,
                                      const FlatConfig& recipe) {
  FlatConfig result = arm;
  for (const auto& [key, value] : recipe) {
    if (key == "lr.base")
      continue;  // that of the base counts
    const auto below = base.find(key);
    const bool same = below != base.end() && below->second == value;
    if (below == base.end() ? is_of_model(key) : !same && !may_override(base, key))
      return std::nullopt;
    if (same && !may_override(base, key))
      continue;
    if (!result.emplace(key, value).second && result.at(key) != value)
      return std::nullopt;
  }
  FlatConfig whole = result;
  whole.insert(base.begin(), base.end());
  return ranks_of(whole) <= most_ranks ? std::optional(result) : std::nullopt;
}

bool cut_alike(const FlatConfig& base, FlatConfig& arm) {
  if (!averages_pieces(base))
    return true;
  const int64_t wanted = integer_of(base, "data.micro_batches", 1) * pieces_of(base, "parallel.");
  FlatConfig both = base;
  for (const auto& [key, value] : arm)
    both[key] = value;
  const int64_t own = pieces_of(both, "parallel.");
  arm["data.micro_batches"] = wanted / own;
  return wanted % own == 0 && pieces_of(both, "checkpoint.resume_") == own;
}

bool keeps_model(const FlatConfig& base, const FlatConfig& arm) {
  return std::ranges::all_of(arm, [&](const auto& setting) {
    const auto found = base.find(setting.first);
    return !is_of_model(setting.first) || (found != base.end() && found->second == setting.second);
  });
}

}  // namespace parity::coverage
