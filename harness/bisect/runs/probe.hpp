// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "harness/bisect/runs/side_runs.hpp"
#include "harness/bisect/search_record.hpp"

namespace parity {

/// What the stages of a search for where two runs part share: the sides, to be run again, and the record.
class RunProbe {
 public:
  RunProbe(const Sides& sides, const RunSettings& options, Progress& progress);

  /// The same sides in float64, where what collapses there is no difference.
  /// \param so_far  stages that come before its own
  static RunProbe in_float64(const Sides& sides, const RunSettings& options, Progress& progress,
                             const SearchRecord& so_far);

  const Sides& sides() const { return sides_; }
  const SideRuns& runs() const { return runs_; }
  /// Relative: what counts as a difference. 0: other bits.
  double beyond() const { return beyond_; }
  std::string describe_excess() const;

  SideTraces run(const std::string& suffix, const SideRuns::Span& span, const Capture& capture);
  SideTraces run_as_far_as_possible(const std::string& suffix);
  SideTraces run_fed(const std::string& suffix, const SideRuns::Span& span, const Capture& kept,
                     const Capture& compared);
  SideTraces run_shaken(const std::string& suffix, const SideRuns::Span& span, const Capture& capture,
                        const std::vector<Fault>& shakes);
  /// What an arm left.
  std::filesystem::path trace_of(const SideTraces& traces, const std::string& arm) const;
  /// Looks at two traces of this search again.
  std::string compare_command(const SideTraces& traces, const std::string& more) const;
  std::string compare_command(const SideTraces& traces, const TensorKey& tensor,
                              const std::string& more = "") const;

  /// Ends a stage: what ran since the last one is its effort.
  void tell(const std::string& name, const std::string& answer, const std::string& command = "",
            Json details = Json::object());
  void note(const std::string& words) { record.notes.push_back(words); }

  SearchRecord record;

 private:
  /// \return the suffix of the arms that run
  std::string announced(const std::string& suffix);
  SideTraces counted(SideTraces traces);

  const Sides& sides_;
  const RunSettings& options_;
  Progress& progress_;
  SideRuns runs_;
  double beyond_ = 0;
  std::string suffix_;  ///< of stages and runs
  int64_t executed_ = 0, cached_ = 0;
  double seconds_ = 0;
};

/// "grad layers.0.wq.weight at step 3".
std::string describe(const TensorKey& key);

}  // namespace parity
