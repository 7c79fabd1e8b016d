// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/runs/left_trace.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/compare/sides/asked.hpp"
#include "harness/compare/text/step_set.hpp"
#include "harness/compare/text/wording.hpp"
#include "harness/trace/format/file_names.hpp"
#include "harness/trace/read/trace.hpp"

namespace parity::suite {
namespace fs = std::filesystem;
namespace {

/// Returns whether the run makes an update with the fault.
bool is_within(const trace::Fault& fault, const PlannedRun& run) {
  const int64_t first = run.span.start_run.empty() ? 0 : run.span.start_step + 1;
  return fault.steps.empty() || std::ranges::any_of(fault.steps, [&](int64_t step) {
           return step >= first && step <= run.last_step();
         });
}

/// Returns a fault of the run that its trace does not confirm as applied, in words; "" if there is none.
std::string fault_problem(const PlannedRun& run, const trace::Trace& trace) {
  const std::vector<trace::FaultReport>& reports = trace.faults();
  for (size_t i = 0; i < run.capture.faults.size(); ++i) {
    const trace::Fault& fault = run.capture.faults[i];
    if (!is_within(fault, run))
      continue;
    const auto problem = [&](const char* why, const char* hint) {
      return fmt::format("{}: fault '{}' was not injected ({}); {}", run.label, fault.text(), why, hint);
    };
    if (i >= reports.size() || !(reports[i].fault == fault))
      return problem("its trace does not report it, so its trainer ignores the faults of PARITY_CAPTURE",
                     "use a trainer whose Recorder applies them");
    if (reports[i].elements == 0)
      return problem("no rank holds such a tensor or element", "name an existing one");
  }
  return "";
}

/// Returns missing updates, or updates beyond the range of the run, in words; "" if there are none.
std::string steps_problem(const PlannedRun& run, const trace::Trace& trace) {
  const compare::RunUpdates updates = run.updates();
  if (!updates.known())
    return "";
  compare::StepSet asked;
  asked.add(updates.first, updates.last);
  const compare::StepSet found(trace.steps());
  const compare::StepSet lacking = asked.without(found), more = found.without(asked);
  if (lacking.empty() && more.empty())
    return "";
  return fmt::format(
      "{} was started for {}, but its trace {} {}; write one row of /steps for each update of the case",
      run.label, asked.text(), lacking.empty() ? "also has" : "lacks",
      lacking.empty() ? more.text() : lacking.text());
}

/// Returns the ranks whose values are not in the trace, in words; "" if all are there.
std::string ranks_problem(const PlannedRun& run, const trace::Trace& trace) {
  if (compare::ranks_of(trace) == run.ranks)
    return "";
  return fmt::format(
      "{} was started with {}, but its trace has the values of {}; let each rank write its own "
      "file (attributes rank and ranks), or give a file that joins them the attribute "
      "joined_ranks = {}",
      run.label, compare::count_text(static_cast<size_t>(run.ranks), "rank"), compare::ranks_of(trace),
      run.ranks);
}

/// Returns why the recorder says that it stopped, in words; "" if it left no partial trace that says so.
std::string recorder_problem(const PlannedRun& run, const fs::path& partial) {
  try {
    const trace::Trace opened = trace::Trace::open(partial);
    if (opened.failure() && opened.failure()->is_object() && opened.failure()->contains("reason"))
      return fmt::format("{} was not recorded beyond update {} ({}); fix this and run the case again",
                         run.label, opened.last_step(),
                         escape_for_terminal(opened.failure()->at("reason").get<std::string>()));
    return "";
  } catch (const UserError&) {
    return "";
  } catch (const Json::exception&) {
    return "";
  }
}

}  // namespace

std::optional<RunFailure> trace_failure(const PlannedRun& run, const fs::path& trace) {
  std::error_code error;
  if (!fs::exists(trace, error)) {
    const std::string stopped = recorder_problem(run, trace::partial_path(trace));
    if (!stopped.empty())
      return RunFailure{results::FailureKind::bad_trace, stopped};
    return RunFailure{results::FailureKind::no_trace,
                      run.label +
                          " ended with exit status 0 but wrote no trace (nothing at PARITY_TRACE); a trainer "
                          "writes one there and renames it when it is complete"};
  }
  try {
    const trace::Trace opened = trace::Trace::open(trace);
    if (!opened.complete())
      return RunFailure{
          results::FailureKind::bad_trace,
          fmt::format("{} left a partial trace (last update {})", run.label, opened.last_step())};
    if (opened.failure())
      return RunFailure{results::FailureKind::bad_trace,
                        fmt::format("{} left a complete trace that reports a failure: {}", run.label,
                                    escape_for_terminal(opened.failure()->dump()))};
    for (const std::string& problem : {steps_problem(run, opened), ranks_problem(run, opened)})
      if (!problem.empty())
        return RunFailure{results::FailureKind::bad_trace, problem};
    if (const std::string problem = fault_problem(run, opened); !problem.empty())
      return RunFailure{results::FailureKind::bad_fault, problem};
  } catch (const UserError& problem) {
    return RunFailure{results::FailureKind::bad_trace,
                      run.label + " left a trace that cannot be read: " + problem.what()};
  }
  return std::nullopt;
}

}  // namespace parity::suite
