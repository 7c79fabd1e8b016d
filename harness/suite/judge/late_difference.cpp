// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/judge/late_difference.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "harness/compare/curves/series.hpp"
#include "harness/trace/read/trace.hpp"

namespace parity::suite {
namespace {

/// Returns whether two runs have the same bits in every channel up to an update. Times do not count.
bool agree_up_to(const trace::Trace& a, const trace::Trace& b, int64_t last) {
  const auto numeric = [](const auto& entry) { return entry.second.kind == trace::ChannelKind::numeric; };
  const auto agrees = [&](const auto& entry) {
    return !numeric(entry) || !compare::first_other_value(a, b, entry.first, last);
  };
  return std::ranges::any_of(a.channels(), numeric) && std::ranges::all_of(a.channels(), agrees) &&
         std::ranges::all_of(b.channels(), agrees);
}

}  // namespace

void excuse_late_difference(compare::CheckResult& result, const compare::Check& check,
                            const std::map<std::string, compare::ArmEvidence>& arms) {
  if (!check.derived || check.relation != compare::Relation::other_function ||
      result.verdict != compare::Verdict::identical)
    return;
  const trace::Trace *a = arms.at(check.arms[0]).trace, *b = arms.at(check.arms[1]).trace;
  if (a != nullptr && a->channels().contains("rollout_digest")) {
    result.verdict = compare::Verdict::missing;
    result.sentence =
        "they compute the same function of given rollouts; what the generator does otherwise is in its "
        "values";
    return;
  }
  if (a == nullptr || b == nullptr || !agree_up_to(*a, *b, check.steps.last))
    return;
  result.verdict = compare::Verdict::missing;
  result.sentence = fmt::format(
      "they begin to differ after update {}, the last that the proof has: up to there residues and "
      "channels are equal; `parity bisect --exact --step N` asks a later update",
      check.steps.last);
}

}  // namespace parity::suite
