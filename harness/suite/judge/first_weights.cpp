// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/judge/first_weights.hpp"

#include <fmt/format.h>

namespace parity::suite {
namespace {

/// Returns the digest that a trainer states of all its weights, with their dtype; "" without one.
std::string stated_digest(const trace::Trace& trace) {
  const Json& facts = trace.provenance();
  if (!facts.is_object() || !facts.contains("fingerprint") || !facts["fingerprint"].is_object())
    return "";
  const Json& digest = facts["fingerprint"].value("initial_weights", Json());
  return digest.is_string() ? digest.get<std::string>() : "";
}

Json dtype_of(const trace::Trace& trace) {
  return trace.config().is_object() ? trace.config().value("dtype", Json()) : Json();
}

/// Returns how the recorded tensors of step 0 differ; "" if none does.
std::string describe_tensors(const trace::Trace& a, const trace::Trace& b) {
  int64_t compared = 0, differing = 0;
  std::string first;
  for (const trace::SketchRow& row : a.sketches()) {
    if (row.key.step != 0 || row.key.phase != trace::Phase::param)
      continue;
    const trace::SketchRow* other = b.find_sketch(row.key);
    if (!other || other->shape != row.shape || other->dtype != row.dtype)
      continue;
    ++compared;
    if (other->digest == row.digest)
      continue;
    if (++differing == 1)
      first = row.key.name;
  }
  return differing == 0 ? ""
                        : fmt::format("{} of {} tensors of step 0, first {}", differing, compared, first);
}

/// Returns the trace that a check reads of an arm; null if there is none.
const trace::Trace* trace_of(const compare::Check& check, const compare::ArmEvidence& arm) {
  if (!check.of_exact_twins())
    return arm.trace;
  return arm.exact == nullptr ? nullptr : arm.exact->trace;
}

}  // namespace

std::string describe_first_weights(const std::string& a, const trace::Trace& trace_a, const std::string& b,
                                   const trace::Trace& trace_b) {
  const std::string one = stated_digest(trace_a), other = stated_digest(trace_b);
  std::string difference;
  if (one.empty() || other.empty())
    difference = describe_tensors(trace_a, trace_b);
  else if (one != other && dtype_of(trace_a) == dtype_of(trace_b))
    difference = fmt::format("digests {:.8} and {:.8}", one, other);
  return difference.empty() ? ""
                            : fmt::format("{} and {} start from different weights ({})", a, b, difference);
}

void add_first_weights(compare::CheckResult& result, const compare::Check& check,
                       const std::map<std::string, compare::ArmEvidence>& arms) {
  const bool may_mislead =
      !result.passed || check.relation == compare::Relation::distinct || check.of_exact_twins();
  if (check.arms.size() != 2 || !may_mislead)
    return;
  const trace::Trace *a = trace_of(check, arms.at(check.arms[0])),
                     *b = trace_of(check, arms.at(check.arms[1]));
  const std::string weights = a && b ? describe_first_weights(check.arms[0], *a, check.arms[1], *b) : "";
  if (weights.empty())
    return;
  result.sentence = weights + "; " + result.sentence;
  if (check.relation == compare::Relation::same_function && result.passed) {
    result.passed = false;
    result.verdict = compare::Verdict::different;
  }
}

}  // namespace parity::suite
