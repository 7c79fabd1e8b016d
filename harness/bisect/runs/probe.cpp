// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/runs/probe.hpp"

#include <utility>

#include <fmt/format.h>

#include "harness/base/processes/process.hpp"
#include "harness/bisect/runs/rounding.hpp"

namespace parity::bisect {
RunProbe::RunProbe(const Sides& sides, const suite::RunSettings& options, Progress& progress)
    : sides_(sides), options_(options), progress_(progress), runs_(sides, options, progress) {
  record.kind = SearchKind::run;
  record.subject = fmt::format("{}: {} against {}", sides.source.name, sides.actual, sides.expected);
  record.details = {{"expected", sides.expected}, {"actual", sides.actual}};
}

RunProbe RunProbe::in_float64(const Sides& sides, const suite::RunSettings& options, Progress& progress,
                              const SearchRecord& so_far) {
  RunProbe wide(sides, options, progress);
  wide.runs_.widen();
  wide.beyond_ = collapsed_gap;
  wide.suffix_ = "float64-";
  wide.record.stages = so_far.stages;
  wide.record.notes = so_far.notes;
  return wide;
}

std::string RunProbe::describe_excess() const {
  return beyond_ > 0 ? fmt::format(" by more than {:.0e}", beyond_) : "";
}

SideTraces RunProbe::counted(SideTraces traces) {
  executed_ += traces.executed;
  cached_ += traces.cached;
  seconds_ += traces.seconds;
  return traces;
}

std::string RunProbe::announced(const std::string& suffix) {
  progress_.note(fmt::format("{}: {}{}", sides_.source.name, suffix_, suffix));
  return "bisect-" + suffix_ + suffix;
}

SideTraces RunProbe::run(const std::string& suffix, const SideRuns::Span& span,
                         const trace::Capture& capture) {
  return counted(runs_.run(announced(suffix), span, capture));
}

SideTraces RunProbe::run_as_far_as_possible(const std::string& suffix) {
  return counted(runs_.run_as_far_as_possible(announced(suffix), {}, {}));
}

SideTraces RunProbe::run_values() {
  announced("values");
  return counted(runs_.run_values());
}

SideTraces RunProbe::run_fed(const std::string& suffix, const SideRuns::Span& span,
                             const trace::Capture& kept, const trace::Capture& compared) {
  return counted(runs_.run_fed(announced(suffix), span, kept, compared));
}

SideTraces RunProbe::run_shaken(const std::string& suffix, const SideRuns::Span& span,
                                const trace::Capture& capture, const std::vector<trace::Fault>& shakes) {
  return counted(runs_.run_shaken(announced(suffix), span, capture, shakes));
}

std::filesystem::path RunProbe::trace_of(const SideTraces& traces, const std::string& arm) const {
  return suite::RunStore(options_.out).trace(traces.runs.planned.arm(arm).run);
}

std::string RunProbe::compare_command(const SideTraces& traces, const std::string& more) const {
  const auto folder = [&](const std::string& arm) { return trace_of(traces, arm).parent_path().string(); };
  return "parity compare " + shell_quote({folder(traces.expected), folder(traces.actual)}) + more;
}

std::string RunProbe::compare_command(const SideTraces& traces, const trace::TensorKey& tensor,
                                      const std::string& more) const {
  return compare_command(traces, fmt::format(" --step {} --phase {} --tensor {}{}", tensor.step,
                                             name_of(tensor.phase), shell_quote({tensor.name}), more));
}

void RunProbe::report(const std::string& name, const std::string& answer, const std::string& command,
                      Json details) {
  record.stages.push_back({suffix_ + name, answer, command, std::exchange(executed_, 0),
                           std::exchange(cached_, 0), std::exchange(seconds_, 0), std::move(details)});
}

}  // namespace parity::bisect
