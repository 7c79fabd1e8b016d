// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/judge/replica_check.hpp"

#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/compare/text/wording.hpp"
#include "harness/trace/format/file_names.hpp"

namespace parity::suite {
namespace {

bool is_float32(const trace::Trace& trace, const trace::ReplicaDifference& difference) {
  if (!difference.phase)
    return false;
  const trace::SketchRow* row = trace.find_sketch({difference.step, *difference.phase, difference.name});
  return row && row->dtype == DType::float32;
}

/// Returns "; element [0, 3] is 0.5 on rank 0 and 0.25 on rank 1", as far as the values are known.
std::string describe_values(const trace::Trace& trace, const trace::ReplicaDifference& difference) {
  if (!difference.value || !difference.other_value)
    return "";
  const bool as_float32 = is_float32(trace, difference);
  const std::string what =
      difference.phase ? fmt::format("element [{}]", fmt::join(difference.index, ", ")) : "it";
  return fmt::format("; {} is {} on rank {} and {} on rank {}", what,
                     compare::number_text(*difference.value, as_float32), difference.rank,
                     compare::number_text(*difference.other_value, as_float32), difference.other);
}

std::string describe_difference(const std::string& arm, const trace::Trace& trace) {
  const auto& differences = trace.replica_differences();
  const trace::ReplicaDifference& first = differences.front();
  const std::string quantity =
      first.phase ? fmt::format("{} {}", name_of(*first.phase), first.name) : first.name;
  std::string words =
      fmt::format("{} of {} differs between ranks {} and {} at step {}, although both hold the same values{}",
                  quantity, arm, first.rank, first.other, first.step, describe_values(trace, first));
  if (differences.size() > 1)
    words += fmt::format("; {} more differ, up to step {}", differences.size() - 1, differences.back().step);
  return words;
}

compare::WorstPlace place_of(const trace::ReplicaDifference& difference) {
  compare::WorstPlace place;
  place.step = difference.step;
  place.quantity = difference.name;
  place.index = difference.index;
  place.rank = difference.other;
  place.expected = difference.value.value_or(NAN);
  place.actual = difference.other_value.value_or(NAN);
  place.metric = "differing";
  place.value = 1;
  return place;
}

}  // namespace

std::optional<JudgedCheck> replica_check(const std::string& arm, const trace::Trace& trace) {
  if (trace.ranks() == 1 || !trace.complete())
    return std::nullopt;
  compare::Check claim;
  claim.arms = {arm};
  claim.relation = compare::Relation::identical;
  claim.because = "ranks that hold the same shard of a model must keep it identical";
  claim.channels = {"replicas"};
  compare::CheckResult result;
  const auto& differences = trace.replica_differences();
  result.passed = differences.empty();
  result.verdict = result.passed ? compare::Verdict::identical : compare::Verdict::different;
  result.measured = {{"compared", trace.replicas_compared()}, {"differing", differences.size()}};
  if (trace.replicas_compared() == 0) {
    result.passed = false;
    result.verdict = compare::Verdict::missing;
    result.sentence = fmt::format(
        "no two of the {} ranks of {} recorded the same values, so their replicas were not compared; record "
        "a "
        "channel or a replicated tensor on each rank",
        trace.ranks(), arm);
    return JudgedCheck{results::CheckKind::replicas, "replicas", claim, result};
  }
  if (result.passed && trace.replicas_compared() == trace.replica_settings()) {
    result.sentence = fmt::format(
        "{} of the optimizer are equal on the {} ranks of {}; no two ranks recorded one tensor, so their "
        "replicas were not compared (a check of param compares them)",
        compare::count_text(trace.replica_settings(), "setting"), trace.ranks(), arm);
    return JudgedCheck{results::CheckKind::replicas, "replicas", claim, result};
  }
  if (result.passed) {
    result.sentence = fmt::format(
        "the replicas on the {} ranks of {} are bitwise identical: {} tensors and channels compared",
        trace.ranks(), arm, trace.replicas_compared());
    return JudgedCheck{results::CheckKind::replicas, "replicas", claim, result};
  }
  const trace::ReplicaDifference& first = differences.front();
  if (first.phase) {
    claim.tensor = first.name;
    claim.phase = *first.phase;
    claim.channels.clear();
  } else {
    claim.channels = {first.name};
  }
  result.measured["rank"] = first.rank;
  result.measured["other_rank"] = first.other;
  result.sentence = describe_difference(arm, trace);
  result.worst = place_of(first);
  return JudgedCheck{results::CheckKind::replicas, "replicas", claim, result};
}

std::vector<std::string> replica_command(const JudgedCheck& judged, const std::filesystem::path& run) {
  std::vector<std::string> words = {"parity", "compare"};
  for (const char* rank : {"rank", "other_rank"})
    words.push_back(
        trace::rank_path(run / "trace.h5", judged.result.measured.value(rank, int64_t{0})).generic_string());
  if (judged.claim.of_tensors())
    words.insert(words.end(),
                 {"--phase", std::string(name_of(judged.claim.phase)), "--tensor", judged.claim.tensor});
  else
    words.insert(words.end(), {"--channel", judged.claim.channels.front()});
  if (judged.result.worst)
    words.insert(words.end(), {"--step", std::to_string(judged.result.worst->step)});
  return words;
}

}  // namespace parity::suite
