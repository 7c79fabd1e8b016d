// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/derived/causality_probe.hpp"

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/laws/batches/causality.hpp"
#include "harness/suite/derived/extra_arms.hpp"

namespace parity::suite {
namespace {

/// Returns the case with one arm, which its checks and its golden do not make record more.
Case alone(Case source, const std::string& arm) {
  source.checks.clear();
  source.check_places.clear();
  source.golden = {};
  source.capture = {};
  std::erase_if(source.arms, [&](const Arm& each) { return each.name != arm; });
  source.reference = arm;
  return source;
}

trace::Capture probe_capture() {
  trace::Capture capture;
  capture.tensors.push_back({{1}, {trace::Phase::input, trace::Phase::forward}, {"*"}});
  capture.sketches.push_back({{0}, {trace::Phase::param}, {"*"}});
  return capture;
}

/// Runs the first update of the arm with other config keys.
ArmRuns run_first_update(const Case& source, const FlatConfig& config, const RunSettings& settings,
                         Progress& progress) {
  const ExtraArm arm{.of = source.reference,
                     .suffix = "causality",
                     .config = config,
                     .faults = source.arms.front().faults,
                     .span = {.stop_after = 1},
                     .capture = probe_capture()};
  Case derived = with_extra_arms(source, {arm});
  std::erase_if(derived.arms, [](const Arm& each) { return each.stands_for.empty(); });
  derived.reference = arm.name();
  ArmRuns runs = run_arms(derived, settings, progress);
  const std::string& id = runs.planned.arm(arm.name()).run;
  const RunResult& result = runs.runs.at(id);
  const std::string failure = result.complete() ? runs.evidence.problem(id) : result.failure->message;
  if (!failure.empty())
    throw UserError(fmt::format("cannot ask for causality (the run of {} did not finish: {}); run the arm by "
                                "itself first",
                                source.reference, failure),
                    ExitCode::crashed);
  return runs;
}

const trace::Trace& trace_of(const ArmRuns& runs) {
  return *runs.evidence.trace(runs.planned.source.arms.front().name);
}

}  // namespace

laws::Audit probe_causality(const Case& source, const std::string& arm, const RunSettings& settings,
                            Progress& progress) {
  const Case probed = alone(source, arm);
  if (probed.arms.front().is_command())
    throw UserError(fmt::format(
        "cannot change a token of {} (it is a command); run it twice, the second time with one other "
        "token in its first update, and give both traces: parity audit TRACE --changed TRACE",
        arm));
  FlatConfig config;
  ArmRuns plain = run_first_update(probed, config, settings, progress);
  if (laws::sums_other_rows(laws::RecordedRun(trace_of(plain))) && probed.arms.front().float64) {
    config["dtype"] = "float64";
    plain = run_first_update(probed, config, settings, progress);
  }
  const auto place = laws::token_to_change(laws::RecordedRun(trace_of(plain)));
  if (!place)
    throw UserError(
        fmt::format("cannot change a token of {} (its first update recorded none); choose an arm "
                    "that reads token rows",
                    arm));
  config["data.probe_row"] = place->row;
  config["data.probe_position"] = place->position;
  const ArmRuns probe = run_first_update(probed, config, settings, progress);
  return laws::audit_causality(trace_of(plain), trace_of(probe));
}

}  // namespace parity::suite
