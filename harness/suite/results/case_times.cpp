// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/results/case_times.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "harness/base/elapsed.hpp"

namespace parity::suite {
namespace {

/// Returns the time of a run's updates [seconds], at most `all`.
double training_seconds(const trace::Trace* trace, double all) {
  if (!trace || !trace->channels().contains("step_seconds"))
    return all;
  const trace::Channel& channel = trace->channels().at("step_seconds");
  const std::vector<double> steps = channel.as_double();
  const double sum = std::accumulate(steps.begin(), steps.end(), 0.0);
  return std::isfinite(sum) ? std::clamp(sum, 0.0, all) : all;
}

}  // namespace

std::vector<std::string> runs_of(const PlannedCase& planned) {
  std::vector<std::string> ids;
  for (const PlannedArm& arm : planned.arms)
    for (const std::string& id : {arm.run, arm.twin})
      if (!id.empty() && std::ranges::find(ids, id) == ids.end())
        ids.push_back(id);
  return ids;
}

results::CaseTimes case_times(const PlannedCase& planned, const Evidence& evidence,
                              const std::map<std::string, RunResult>& runs, const RunEnds& ends,
                              std::chrono::steady_clock::time_point judged) {
  std::map<std::string, const trace::Trace*> traces;
  for (const PlannedArm& arm : planned.arms) {
    traces[arm.run] = evidence.arms().at(arm.name).trace;
    traces[arm.twin] = evidence.arms().at(arm.name).twin;
  }
  double training = 0, start = 0;
  std::chrono::steady_clock::time_point last_end{};
  for (const std::string& id : runs_of(planned)) {
    const double all = runs.at(id).seconds;
    const double trained = training_seconds(traces[id], all);
    training += trained;
    start += all - trained;
    if (const auto end = ends.find(id); end != ends.end())
      last_end = std::max(last_end, end->second);
  }
  const double waiting = std::chrono::duration<double>(judged - std::min(last_end, judged)).count();
  return {.training = training,
          .start = start,
          .judging = seconds_since(judged),
          .waiting = last_end == std::chrono::steady_clock::time_point{} ? 0.0 : waiting};
}

}  // namespace parity::suite
