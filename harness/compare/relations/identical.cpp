// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "harness/compare/relations/bits.hpp"
#include "harness/compare/relations/relation.hpp"
#include "harness/compare/sides/quantity.hpp"
#include "harness/compare/text/wording.hpp"

namespace parity::compare {
namespace {

CheckResult judge_tensors(const Check& check, const Side& a, const Side& b, BitsClaim claim) {
  std::vector<SourcePair> pairs;
  std::vector<int64_t> steps;
  for (const TensorPair& pair : pair_tensors(check, a, b)) {
    pairs.push_back({tensor_source(*a.trace, pair.expected), tensor_source(*b.trace, pair.actual)});
    if (steps.empty() || steps.back() != pair.expected.step)
      steps.push_back(pair.expected.step);
  }
  claim.holds = fmt::format("{} of {} and {} have the same bits at {} ({})", check.quantity(), b.name, a.name,
                            steps_text(steps), count_text(pairs.size(), "tensor"));
  return judge_tensor_bits(pairs, claim);
}

}  // namespace

CheckResult judge_identical(const Check& check, const std::vector<Side>& sides) {
  const Side& a = sides.at(0);
  const Side& b = sides.at(1);
  BitsClaim claim{a.name, b.name, "", "differs from " + a.name + "'s"};
  if (check.of_tensors())
    return judge_tensors(check, a, b, claim);
  const std::vector<int64_t> steps = steps_in(resolve(check.steps, sides), sides);
  const std::vector<std::string> names = match_channels(check.channels, sides);
  std::vector<SeriesPair> pairs;
  pairs.reserve(names.size());
  for (const std::string& name : names)
    pairs.push_back({name, channel_at(a, name, steps), channel_at(b, name, steps)});
  claim.holds = fmt::format("{} of {} and {} have the same bits {}", list_text(names), b.name, a.name,
                            over_text(steps));
  return judge_series_bits(pairs, claim);
}

}  // namespace parity::compare
