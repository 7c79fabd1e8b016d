// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/repeat_pair.hpp"

#include <algorithm>

namespace parity::suite {

std::optional<compare::FirstDivergence> divergence(const RunStore& store, const std::string& one,
                                                   const std::string& other) {
  compare::TraceFilter filter;
  filter.partial = true;  // of two traces that ended, it changes nothing
  const trace::Trace first = trace::Trace::open(store.trace(one)),
                     second = trace::Trace::open(store.trace(other));
  return first_divergence(compare_traces(first, second, filter), first, second);
}

bool found_other_bits(const JudgedCheck& check) {
  return check.claim.relation == compare::Relation::repeats && !check.result.passed &&
         check.result.verdict == compare::Verdict::different;
}

std::optional<RepeatPair> odd_repetition(const PlannedArm& arm, const JudgedCheck& check,
                                         const std::map<std::string, RunResult>& runs,
                                         const RunStore& store) {
  int64_t compared = 1;
  for (const PlannedRepetition& each : arm.repetitions) {
    if (each.under != check.claim.under || compared == check.claim.times)
      continue;
    ++compared;
    if (runs.at(each.id).complete() && divergence(store, arm.run, each.id))
      return RepeatPair{arm.run, each.id, each.under, each.number};
  }
  return std::nullopt;
}

int64_t update_of(const compare::FirstDivergence& at) {
  return std::max<int64_t>(at.step, 1);
}

Watched compare_watched(const PlannedArm& arm, const RunStore& store) {
  Watched found;
  for (size_t i = 0; i < arm.watched.size(); ++i)
    for (size_t j = 0; j < i && found.one == nullptr; ++j) {
      const WatchedRun &one = arm.watched[j], &other = arm.watched[i];
      const auto here = one.update == other.update ? divergence(store, one.id, other.id) : std::nullopt;
      if (!here || here->name.empty())
        continue;
      if (!found.first || here->step < found.first->step)
        found.first = here;
      if (update_of(*here) == one.update)
        found.one = &one, found.other = &other;
    }
  return found;
}

std::vector<compare::Rerun> reruns_of(const PlannedArm& arm, const RepeatPair& pair, int64_t step,
                                      const RunStore& store) {
  const trace::Trace usual = trace::Trace::open(store.trace(pair.usual)),
                     odd = trace::Trace::open(store.trace(pair.odd));
  std::vector<compare::Rerun> reruns;
  for (const WatchedRun& each : arm.watched) {
    if (each.under != pair.under)
      continue;
    const trace::Trace again = trace::Trace::open(store.trace(each.id));
    reruns.push_back(
        {compare::agree_until(again, usual, step), compare::agree_until(again, odd, step), each.elsewhere});
  }
  return reruns;
}

}  // namespace parity::suite
