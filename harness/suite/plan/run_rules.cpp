// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/plan/run_rules.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/text/escape_for_terminal.hpp"

namespace parity::suite {
namespace {

/// Checks the number of steps. If no arm runs parity-train, no schema has checked a command's config.
void check_steps(const Arm& arm, const PlannedRun& run) {
  const auto asked = run.config.find("steps");
  if (asked != run.config.end() && (run.steps < 1 || !asked->second.is_number_integer()))
    throw UserError(fmt::format("{}: arm {} has steps = {}; give an integer of 1 or more", arm.place.text(),
                                arm.name, asked->second.dump()));
  if (const int64_t most = most_steps(); run.steps > most)
    throw UserError(
        fmt::format("{}: arm {} has steps = {} (the limit is {}); give fewer, or raise the limit with {}=N",
                    arm.place.text(), arm.name, run.steps, most, most_steps_variable));
}

void check_faults(const Arm& arm, const PlannedRun& run) {
  for (const trace::Fault& fault : arm.faults) {
    const auto beyond =
        std::find_if(fault.steps.begin(), fault.steps.end(), [&](int64_t step) { return step > run.steps; });
    if (beyond != fault.steps.end())
      throw UserError(fmt::format(
          "{}: cannot inject fault '{}' (the run ends after step {}, before step {}); name an earlier step",
          run.label, fault.text(), run.steps, *beyond));
  }
}

/// Checks the span. A run that restarts has two processes, so it always starts at update 1.
void check_span(const PlannedRun& run) {
  const RunSpan& span = run.span;
  require(span.stop_after <= run.steps && (span.start_step == 0 || span.start_step < run.last_step()),
          run.label + ": a span beyond the run");
  require(span.start_run.empty() == (span.start_step == 0), run.label + ": a span from nowhere");
  require(run.restart_after == 0 || (span.start_run.empty() && span.checkpoint_every == 0),
          run.label + ": a span from a checkpoint of a run that restarts");
}

}  // namespace

int64_t most_steps() {
  const char* variable = std::getenv(most_steps_variable);
  if (variable == nullptr || *variable == '\0')
    return default_most_steps;
  const std::string text = variable;
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 1)
    throw UserError(fmt::format("invalid {} '{}'; set an integer of 1 or more", most_steps_variable,
                                escape_to_line(text)));
  return number;
}

void check_run(const Arm& arm, const PlannedRun& run) {
  check_steps(arm, run);
  check_faults(arm, run);
  check_span(run);
}

}  // namespace parity::suite
