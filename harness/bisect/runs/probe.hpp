// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "harness/bisect/runs/side_runs.hpp"
#include "harness/bisect/search_record.hpp"

namespace parity::bisect {

/// The state that the stages of a search for the point of divergence share: the sides to run again, and the
/// record.
class RunProbe {
 public:
  RunProbe(const Sides& sides, const suite::RunSettings& options, Progress& progress);

  /// Returns a probe of the same sides in float64. A difference that collapses there does not count.
  /// \param so_far  stages before its own
  static RunProbe in_float64(const Sides& sides, const suite::RunSettings& options, Progress& progress,
                             const SearchRecord& so_far);

  const Sides& sides() const { return sides_; }
  const SideRuns& runs() const { return runs_; }
  /// Returns the relative gap above which a difference counts; 0: any changed bit counts.
  double beyond() const { return beyond_; }
  std::string describe_excess() const;

  SideTraces run(const std::string& suffix, const SideRuns::Span& span, const trace::Capture& capture);
  SideTraces run_as_far_as_possible(const std::string& suffix);
  SideTraces run_values();
  SideTraces run_fed(const std::string& suffix, const SideRuns::Span& span, const trace::Capture& kept,
                     const trace::Capture& compared);
  SideTraces run_shaken(const std::string& suffix, const SideRuns::Span& span, const trace::Capture& capture,
                        const std::vector<trace::Fault>& shakes);
  /// Returns the path of an arm's trace.
  std::filesystem::path trace_of(const SideTraces& traces, const std::string& arm) const;
  /// Return the command that compares two traces of this search again.
  std::string compare_command(const SideTraces& traces, const std::string& more) const;
  std::string compare_command(const SideTraces& traces, const trace::TensorKey& tensor,
                              const std::string& more = "") const;

  /// Records a stage. Its effort is that of the runs since the previous stage.
  void report(const std::string& name, const std::string& answer, const std::string& command = "",
              Json details = Json::object());
  void note(const std::string& words) { record.notes.push_back(words); }

  SearchRecord record;

 private:
  /// Shows the progress of the next runs. \return the suffix of their arms
  std::string announced(const std::string& suffix);
  SideTraces counted(SideTraces traces);

  const Sides& sides_;
  const suite::RunSettings& options_;
  Progress& progress_;
  SideRuns runs_;
  double beyond_ = 0;
  std::string suffix_;  ///< of the names of stages and runs
  int64_t executed_ = 0, cached_ = 0;
  double seconds_ = 0;
};

}  // namespace parity::bisect
