// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/side_runs.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "harness/base/error.hpp"

namespace parity {
namespace {

/// The case with nothing but the two arms: its checks and golden ask for more than is wanted.
Case bare(const Sides& sides) {
  Case source = sides.source;
  source.checks.clear();
  source.check_places.clear();
  source.golden = {};
  source.capture = {};
  std::erase_if(source.arms,
                [&](const Arm& arm) { return arm.name != sides.expected && arm.name != sides.actual; });
  source.reference = sides.expected;
  return source;
}

/// Why an arm's run ended before its time, or its trace cannot be taken; "" if all is well.
std::string failure_of(const ArmRuns& runs, const std::string& arm) {
  const std::string& id = runs.planned.arm(arm).run;
  const RunResult& result = runs.runs.at(id);
  return result.complete() ? runs.evidence.problem(id) : result.failure->message;
}

[[noreturn]] void refuse(const std::string& arm, const std::string& why) {
  throw UserError(fmt::format("{} did not finish ({}); a search needs both sides", arm, why),
                  ExitCode::crashed);
}

}  // namespace

SideRuns::SideRuns(const Sides& sides, const SuiteOptions& options, Progress& progress)
    : sides_{bare(sides), sides.expected, sides.actual},
      options_(options),
      progress_(progress),
      planned_(plan_arms(sides_.source, options_)) {}

SideTraces SideRuns::run_as_far_as_possible(const std::string& suffix, const Span& span,
                                            const Capture& capture) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<ExtraArm> extra;
  for (const std::string& name : {sides_.expected, sides_.actual}) {
    ExtraArm arm = {.of = name, .suffix = suffix, .faults = sides_.source.arm(name).faults};
    arm.span = {span.stop_after, span.checkpoint_every};
    if (span.from != nullptr) {
      const std::string& before = name == sides_.expected ? span.from->expected : span.from->actual;
      arm.span.start_run = span.from->runs.planned.arm(before).run;
      arm.span.start_step = span.start_step;
    }
    arm.capture = capture;
    if (widened_)
      arm.config["dtype"] = "float64";
    extra.push_back(std::move(arm));
  }
  Case source = with_extra_arms(sides_.source, extra);
  std::erase_if(source.arms, [](const Arm& arm) { return arm.stands_for.empty(); });
  source.reference = extra.front().name();
  SideTraces traces = {
      run_arms(source, options_, progress_), extra.front().name(), extra.back().name(), 0, "", "", 0};
  for (const std::string& arm : {traces.expected, traces.actual}) {
    const std::string failure = failure_of(traces.runs, arm);
    if (!failure.empty() && traces.runs.evidence.trace(arm) == nullptr)
      refuse(arm, failure);
    (arm == traces.expected ? traces.failed_expected : traces.failed_actual) = failure;
    traces.executed += traces.runs.runs.at(traces.runs.planned.arm(arm).run).cached ? 0 : 1;
  }
  traces.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return traces;
}

SideTraces SideRuns::run(const std::string& suffix, const Span& span, const Capture& capture) {
  SideTraces traces = run_as_far_as_possible(suffix, span, capture);
  if (!traces.failed_expected.empty())
    refuse(traces.expected, traces.failed_expected);
  if (!traces.failed_actual.empty())
    refuse(traces.actual, traces.failed_actual);
  return traces;
}

std::vector<ConfigDifference> SideRuns::config_differences() const {
  const FlatConfig &a = planned_.arm(sides_.expected).config, &b = planned_.arm(sides_.actual).config;
  std::vector<ConfigDifference> all;
  for (const auto& [key, value] : a) {
    const auto other = b.find(key);
    const Json theirs = other == b.end() ? Json() : other->second;
    if (theirs != value)
      all.push_back({key, value, theirs});
  }
  for (const auto& [key, value] : b)
    if (!a.contains(key))
      all.push_back({key, nullptr, value});
  return all;
}

int64_t SideRuns::steps() const {
  return std::min(integer_of(planned_.arm(sides_.expected).config, "steps", 0),
                  integer_of(planned_.arm(sides_.actual).config, "steps", 0));
}

bool SideRuns::can_widen() const {
  return std::ranges::all_of(sides_.source.arms, [this](const Arm& arm) {
    return !arm.is_command() && arm.float64 && text_of(planned_.arm(arm.name).config, "dtype") == "float32";
  });
}

bool SideRuns::can_start_on_the_way() const {
  return std::ranges::all_of(sides_.source.arms, [this](const Arm& arm) {
    return !arm.is_command() && integer_of(planned_.arm(arm.name).config, "checkpoint.restart_after", 0) == 0;
  });
}

}  // namespace parity
