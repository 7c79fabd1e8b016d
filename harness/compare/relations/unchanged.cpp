// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "harness/compare/relations/bits.hpp"
#include "harness/compare/relations/relation.hpp"
#include "harness/compare/sides/quantity.hpp"
#include "harness/compare/text/wording.hpp"

namespace parity::compare {
namespace {

/// Compares tensors at step s (actual) with those at step s - 1 (expected); step 0 is the initial state. This
/// is the lag relation of an arm with itself.
CheckResult judge_unchanged_tensors(const Check& check, const Side& side, BitsClaim claim) {
  std::vector<SourcePair> pairs;
  std::vector<int64_t> steps;
  for (const TensorPair& pair : pair_tensors(check, side, side)) {
    trace::TensorKey before = pair.actual;
    --before.step;
    const TensorSource source = tensor_source(*side.trace, before);
    if (before.step < 0 || !(source.sketch || source.whole()))
      throw MissingEvidence(
          fmt::format("{} {} of {} was recorded at step {} but not at step {} (a change needs both); "
                      "capture steps {} and {}",
                      name_of(before.phase), before.name, side.name, pair.actual.step, before.step,
                      before.step, pair.actual.step));
    pairs.push_back({source, tensor_source(*side.trace, pair.actual)});
    if (steps.empty() || steps.back() != pair.actual.step)
      steps.push_back(pair.actual.step);
  }
  claim.holds = fmt::format("{} of {} has the bits of one step earlier at {} ({})", check.quantity(),
                            side.name, steps_text(steps), count_text(pairs.size(), "tensor"));
  return judge_tensor_bits(pairs, claim);
}

}  // namespace

CheckResult judge_unchanged(const Check& check, const std::vector<Side>& sides) {
  const Side& side = sides.at(0);
  BitsClaim claim{side.name, side.name, "", "changed"};
  if (check.of_tensors())
    return judge_unchanged_tensors(check, side, claim);
  const ResolvedWindow window = resolve(check.steps, sides);
  std::vector<int64_t> before, steps;
  for (const int64_t step : steps_in(window, sides))
    if (step > updates_of(sides).first) {  // no update precedes the first one
      before.push_back(step - 1);
      steps.push_back(step);
    }
  if (steps.empty())
    throw MissingEvidence(
        fmt::format("{} of {} at step {} has no step before it to compare with (channels begin with "
                    "the first update)",
                    check.quantity(), side.name, window.first));
  const std::vector<std::string> names = match_channels(check.channels, sides);
  std::vector<SeriesPair> pairs;
  pairs.reserve(names.size());
  for (const std::string& name : names)
    pairs.push_back({name, channel_at(side, name, before), channel_at(side, name, steps)});
  claim.holds = fmt::format("{} of {} {} not change {}, bit for bit", list_text(names), side.name,
                            names.size() == 1 ? "does" : "do", over_text(steps));
  return judge_series_bits(pairs, claim);
}

}  // namespace parity::compare
