// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/runs/side_runs.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/elapsed.hpp"
#include "harness/base/error.hpp"
#include "harness/suite/cases/read/arm_settings.hpp"

namespace parity::bisect {
namespace {

/// Returns the case with only the two arms. Its checks and golden would make runs record more than needed.
suite::Case bare(const Sides& sides) {
  suite::Case source = sides.source;
  source.checks.clear();
  source.check_places.clear();
  source.golden = {};
  source.capture = {};
  std::erase_if(source.arms, [&](const suite::Arm& arm) {
    return arm.name != sides.expected && arm.name != sides.actual;
  });
  source.reference = sides.expected;
  return source;
}

/// Returns why an arm's run ended early, or its trace cannot be used; "" if neither is the case.
std::string failure_of(const suite::ArmRuns& runs, const std::string& arm) {
  const std::string& id = runs.planned.arm(arm).run;
  const suite::RunResult& result = runs.runs.at(id);
  return result.complete() ? runs.evidence.problem(id) : result.failure->message;
}

[[noreturn]] void refuse(const std::string& arm, const std::string& why) {
  throw UserError(
      fmt::format("cannot search with {} (its run did not finish: {}); a search needs both sides", arm, why),
      ExitCode::crashed);
}

SideTraces finished(SideTraces traces) {
  if (!traces.failed_expected.empty())
    refuse(traces.expected, traces.failed_expected);
  if (!traces.failed_actual.empty())
    refuse(traces.actual, traces.failed_actual);
  return traces;
}

/// Returns the words of a command that another command does not share at its beginning or end, in one line.
std::string own_words(const std::vector<std::string>& words, const std::vector<std::string>& others) {
  const auto shared = std::ranges::mismatch(words, others);
  const auto front = static_cast<size_t>(shared.in1 - words.begin());
  const size_t most = std::min(words.size(), others.size()) - front;
  size_t back = 0;
  while (back < most && words[words.size() - 1 - back] == others[others.size() - 1 - back])
    ++back;
  return fmt::format("{}", fmt::join(words.begin() + static_cast<std::ptrdiff_t>(front),
                                     words.end() - static_cast<std::ptrdiff_t>(back), " "));
}

/// Returns what commands differ in beside their configs: words, and the number of ranks.
std::vector<ConfigDifference> command_differences(const suite::Arm& a, const suite::Arm& b) {
  std::vector<ConfigDifference> all;
  const auto words = [](const suite::Arm& arm) {
    return arm.is_command() ? arm.command : std::vector<std::string>{"parity-train"};
  };
  if (a.command != b.command)
    all.push_back({"command", own_words(words(a), words(b)), own_words(words(b), words(a))});
  if (a.ranks != b.ranks || a.states_ranks != b.states_ranks) {
    const auto ranks = [](const suite::Arm& arm) {
      return arm.is_command() && !arm.states_ranks ? Json() : Json(arm.ranks);
    };
    if (ranks(a) != ranks(b))
      all.push_back({"ranks", ranks(a), ranks(b)});
  }
  return all;
}

}  // namespace

SideRuns::SideRuns(const Sides& sides, const suite::RunSettings& options, Progress& progress)
    : sides_{bare(sides), sides.expected, sides.actual, sides.update},
      options_(options),
      progress_(progress),
      planned_(plan_arms(sides_.source, options_)) {}

suite::ExtraArm SideRuns::again(const std::string& name, const std::string& suffix, const Span& span,
                                const trace::Capture& capture) const {
  suite::ExtraArm arm;
  arm.of = name;
  arm.suffix = suffix;
  arm.faults = sides_.source.arm(name).faults;
  arm.span.stop_after = span.stop_after;
  arm.span.checkpoint_every = span.checkpoint_every;
  if (span.from != nullptr) {
    const std::string& before = name == sides_.expected ? span.from->expected : span.from->actual;
    arm.span.start_run = span.from->runs.planned.arm(before).run;
    arm.span.start_step = span.start_step;
  }
  arm.capture = capture;
  if (widened_)
    arm.config["dtype"] = "float64";
  return arm;
}

/// Runs extra arms and returns their traces.
/// \param extra  the good side's arm first, the bad side's last
SideTraces SideRuns::run_extra(const std::vector<suite::ExtraArm>& extra) {
  const auto start = std::chrono::steady_clock::now();
  suite::Case source = with_extra_arms(sides_.source, extra);
  std::erase_if(source.arms, [](const suite::Arm& arm) { return arm.stands_for.empty(); });
  source.reference = extra.front().name();
  SideTraces traces = {.runs = run_arms(source, options_, progress_),
                       .expected = extra.front().name(),
                       .actual = extra.back().name(),
                       .failed_expected = "",
                       .failed_actual = ""};
  for (const suite::ExtraArm& each : extra) {
    const std::string arm = each.name();
    const std::string failure = failure_of(traces.runs, arm);
    if (!failure.empty() && traces.runs.evidence.trace(arm) == nullptr)
      refuse(arm, failure);
    (arm == traces.expected ? traces.failed_expected : traces.failed_actual) = failure;
    ++(traces.runs.runs.at(traces.runs.planned.arm(arm).run).cached ? traces.cached : traces.executed);
  }
  traces.seconds = seconds_since(start);
  made_ = std::min(traces.expected_trace().last_step(), traces.actual_trace().last_step());
  return traces;
}

SideTraces SideRuns::run_as_far_as_possible(const std::string& suffix, const Span& span,
                                            const trace::Capture& capture) {
  return run_extra(
      {again(sides_.expected, suffix, span, capture), again(sides_.actual, suffix, span, capture)});
}

SideTraces SideRuns::run(const std::string& suffix, const Span& span, const trace::Capture& capture) {
  return finished(run_as_far_as_possible(suffix, span, capture));
}

SideTraces SideRuns::run_fed(const std::string& suffix, const Span& span, const trace::Capture& kept,
                             const trace::Capture& compared) {
  const suite::ExtraArm teacher = again(sides_.expected, suffix, span, kept);
  const SideTraces taught_from = finished(run_extra({teacher}));
  suite::ExtraArm fed = again(sides_.actual, suffix, span, compared);
  fed.span.teacher_run = taught_from.runs.planned.arm(teacher.name()).run;
  SideTraces traces = finished(run_extra({teacher, fed}));
  if (taught_from.executed > 0) {
    traces.executed += taught_from.executed;
    traces.cached -= taught_from.executed;
  }
  traces.seconds += taught_from.seconds;
  return traces;
}

SideTraces SideRuns::run_values() {
  suite::ExtraArm values = again(sides_.expected, "bisect-values", {.stop_after = sides_.update - 1}, {});
  values.config["dtype"] = "float32";
  return finished(run_extra({values}));
}

SideTraces SideRuns::run_shaken(const std::string& suffix, const Span& span, const trace::Capture& capture,
                                const std::vector<trace::Fault>& shakes) {
  const suite::ExtraArm still = again(sides_.expected, suffix, span, capture);
  suite::ExtraArm shaken = again(sides_.expected, suffix + "-shaken", span, capture);
  shaken.faults.insert(shaken.faults.end(), shakes.begin(), shakes.end());
  return finished(run_extra({still, shaken}));
}

std::vector<ConfigDifference> SideRuns::config_differences() const {
  const auto settings_of = [&](const std::string& arm) {
    return with_surroundings(planned_.arm(arm).config, planned_.source.arm(arm));
  };
  const suite::FlatConfig a = settings_of(sides_.expected), b = settings_of(sides_.actual);
  std::vector<ConfigDifference> all =
      command_differences(sides_.source.arm(sides_.expected), sides_.source.arm(sides_.actual));
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
  const auto stated = [&](const std::string& arm) {
    return suite::integer_of(planned_.arm(arm).config, "steps", made_);
  };
  const int64_t both = std::min(stated(sides_.expected), stated(sides_.actual));
  return are_exact() ? std::min(both, sides_.update > 0 ? sides_.update : compare::two_updates.last) : both;
}

bool SideRuns::are_exact() const {
  return std::ranges::all_of(sides_.source.arms, [this](const suite::Arm& arm) {
    return !arm.is_command() && suite::text_of(planned_.arm(arm.name).config, "dtype") == "exact";
  });
}

bool SideRuns::can_widen() const {
  return std::ranges::all_of(sides_.source.arms, [this](const suite::Arm& arm) {
    return !arm.is_command() && arm.float64 &&
           suite::text_of(planned_.arm(arm.name).config, "dtype") == "float32";
  });
}

bool SideRuns::can_be_fed() const {
  return !are_exact() && std::ranges::none_of(sides_.source.arms, &suite::Arm::is_command);
}

bool SideRuns::can_stop_early() const {
  return std::ranges::all_of(sides_.source.arms, [this](const suite::Arm& arm) {
    return !arm.is_command() &&
           suite::integer_of(planned_.arm(arm.name).config, "checkpoint.restart_after", 0) == 0;
  });
}

}  // namespace parity::bisect
