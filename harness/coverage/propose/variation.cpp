// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/coverage/propose/variation.hpp"

#include <string>
#include <vector>

namespace parity::coverage {
namespace {

using suite::FlatConfig;
using suite::integer_of;

constexpr int64_t largest_layout = 4;

Json one_of(const std::vector<Json>& values, std::mt19937_64& random) {
  return values[std::uniform_int_distribution<size_t>(0, values.size() - 1)(random)];
}

/// Changes seeds, and sizes that no file of weights fixes.
void vary_base(FlatConfig& base, std::mt19937_64& random) {
  std::uniform_int_distribution<int64_t> seed(1, 1'000'000);
  base["data.seed"] = seed(random);
  base["seed"] = seed(random);
  if (!suite::text_of(base, "weights.path").empty())
    return;
  base["architecture.n_layers"] = one_of({2, 3, 4}, random);
  base["architecture.ffn_hidden"] = one_of({64, 48, 60}, random);
  if (suite::text_of(base, "data.source") == "rollouts")
    return;
  base["architecture.vocab_size"] = one_of({128, 126, 97}, random);
  base["data.seq_len"] = one_of({32, 40, 48}, random);
  if (base.contains("data.ignore_fraction"))
    base["data.ignore_fraction"] = one_of({0.1, 0.3, 0.5}, random);
}

int64_t ranks_in(const FlatConfig& arm) {
  int64_t ranks = 1;
  for (const char* key : {"dp_replicate", "dp_shard", "tp", "cp", "pp"})
    ranks *= integer_of(arm, std::string("parallel.") + key, 1);
  return ranks + integer_of(arm, "rl.generator.ranks", 0);
}

/// Doubles a dimension of the mesh, and chooses among forms of one layout.
void vary_layout(FlatConfig& arm, std::mt19937_64& random) {
  const bool resumes = arm.contains("checkpoint.restart_after");
  for (const char* key : {"parallel.dp_replicate", "parallel.dp_shard", "parallel.tp", "parallel.cp"})
    if (integer_of(arm, key, 1) > 1 && !resumes && 2 * ranks_in(arm) <= largest_layout)
      arm[key] = one_of({2, 4}, random);
  if (integer_of(arm, "parallel.pp", 1) > 1)
    arm["parallel.pp_schedule"] = one_of({"gpipe", "1f1b"}, random);
  if (integer_of(arm, "parallel.dp_shard", 1) > 1 && !resumes)
    arm["parallel.reshard_after_forward"] = one_of({"all_but_last", "always", "never"}, random);
  if (resumes)
    arm["checkpoint.restart_after"] = one_of({1, 3, 5, 7}, random);
}

}  // namespace

void vary(ProposedCase& proposed, std::mt19937_64& random) {
  vary_base(proposed.base, random);
  for (ProposedArm& arm : proposed.arms)
    vary_layout(arm.settings, random);
}

}  // namespace parity::coverage
