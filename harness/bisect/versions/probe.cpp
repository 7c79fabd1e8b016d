// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/versions/probe.hpp"

#include <limits>

#include <fmt/format.h>

#include "harness/base/elapsed.hpp"
#include "harness/base/error.hpp"
#include "harness/suite/derived/extra_arms.hpp"
#include "harness/trace/read/trace.hpp"

namespace parity::bisect {

VersionProbe::VersionProbe(const VersionQuestion& question, Progress& progress)
    : question_(question),
      progress_(progress),
      environments_(question.source.python.interpreter, question.folder() / "environments",
                    question.install_timeout, progress) {}

const VersionAnswer& VersionProbe::ask(const Pins& pins) {
  const std::string text = text_of(pins);
  const auto known = answers_.find(text);
  if (known != answers_.end())
    return known->second;
  const auto begin = std::chrono::steady_clock::now();
  VersionAnswer answer = evaluate(pins);
  progress_.note(fmt::format("{}: {}{} ({})", text,
                             answer.measured() ? "measured"
                             : answer.crashed  ? "crashed"
                                               : "skipped",
                             answer.reason.empty() ? "" : ", " + answer.reason,
                             format_duration(seconds_since(begin))));
  return answers_.emplace(text, std::move(answer)).first->second;
}

double VersionProbe::own_distance(const Pins& pins) {
  const auto [place, is_new] = own_distances_.try_emplace(text_of(pins), 0);
  if (is_new)
    place->second = gap(ask(pins), evaluate(pins, true)).size;
  return place->second;
}

VersionAnswer VersionProbe::evaluate(const Pins& pins, bool again) {
  VersionAnswer answer;
  const MadeEnvironment& environment = environments_.with(pins);
  if (!environment.made()) {
    answer.reason = environment.reason;
    answer.log = environment.log;
    return answer;
  }
  suite::Case source = question_.source;
  source.python.interpreter = environment.python;
  suite::RunSettings settings = question_.suite;
  // A run that is never answered from the cache has one folder a suite, whatever its packages.
  settings.out = question_.folder() / "suite" / environment.folder().filename();
  if (again)
    settings.out /= "again";
  const suite::ArmRuns done = run_arms(source, settings, progress_);
  for (const auto& [id, result] : done.runs)
    ++(result.cached ? cached_ : runs_);
  for (const suite::PlannedArm& arm : done.planned.arms) {
    const suite::RunResult& result = done.runs.at(arm.run);
    if (result.failure) {
      answer.traces.clear();
      answer.crashed = meaning_of(result.failure->kind).computed;
      answer.reason = result.failure->message;
      answer.log = result.log;
      return answer;
    }
    answer.traces[arm.name] = result.folder / "trace.h5";
  }
  return answer;
}

VersionGap VersionProbe::gap(const Pins& before, const Pins& after) {
  return gap(ask(before), ask(after));
}

VersionGap VersionProbe::gap(const VersionAnswer& first, const VersionAnswer& second) {
  VersionGap result;
  if (first.measured() != second.measured())
    result.size = std::numeric_limits<double>::infinity();
  for (const auto& [arm, trace] : first.traces) {
    const auto other = second.traces.find(arm);
    if (other == second.traces.end())
      continue;
    const TraceGap found =
        gap_between(trace::Trace::open(trace), trace::Trace::open(other->second), question_.channels);
    if (found.recorded_otherwise.empty())
      one_sided_.insert(found.one_sided.begin(), found.one_sided.end());
    if (found.only_settings && !(found.size > 0))
      throw UserError(
          fmt::format("cannot compare two versions (arm {} has only settings such as lr, which agree "
                      "without equal training); record the loss or tensors, or state with --channel "
                      "what is enough",
                      arm),
          ExitCode::missing);
    if (!found.recorded_otherwise.empty()) {
      result = {found.size, arm, {}, {}, found.recorded_otherwise};
      return result;
    }
    if (found.first && (!result.largest || found.size > result.size))
      result = {found.size, arm, found.first, found.largest, ""};
  }
  return result;
}

}  // namespace parity::bisect
