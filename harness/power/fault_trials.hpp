// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/power/gate.hpp"
#include "harness/suite/derived/extra_arms.hpp"

namespace parity {

/// What became of one fault.
struct Trial {
  Fault fault;
  std::string refused;      ///< why it could not be put in; "" if it was
  bool has_effect = false;  ///< whether a bit of the tensor, or of its float64 twin, is another
  std::vector<Alarm> alarms;
  std::optional<TensorKey> first;  ///< where the run parts from the healthy one

  bool seen_by_golden() const;
  bool seen_by_arms() const;  ///< by any check but the golden
  bool seen() const { return !alarms.empty(); }
  bool is_named() const;  ///< `first` is where the fault is
  Json to_json() const;
};

/// The part of a case that is about one arm: the checks that name it, with their arms; its golden. All arms
/// where one is a command, which may read the traces of others.
Case only_about(const Case& source, const std::string& arm);

/// Puts faults into one arm of a case and asks the case's gate.
///
/// A faulty run, and its float64 twin where checks want one, is as good a run as any: it comes from the cache
/// if it was made before. Each trial is made once.
class FaultTrials {
 public:
  /// Runs the case as it is. \throws UserError if its arm leaves no trace
  FaultTrials(const Case& source, const std::string& arm, const RunSettings& options, Progress& progress);

  /// The arm as it is, with digests of every gradient and parameter.
  const Trace& healthy() const;
  bool has_ranks() const;
  const Case& source() const { return source_; }
  /// Checks that do not hold of the case as it is.
  const std::vector<std::string>& broken() const { return broken_; }

  /// In their order. \throws UserError as run_arms does
  std::vector<Trial> run(const std::vector<Fault>& faults);

 private:
  Case derived(const std::vector<Fault>& faults) const;
  Trial judge(const Fault& fault, size_t number, const ArmRuns& runs, const Gate& gate) const;

  Case source_;  ///< the part of the case that is about the arm
  std::string arm_;
  RunSettings options_;
  RunStore store_;
  Progress& progress_;
  std::optional<ArmRuns> base_;
  bool has_twin_ = false;
  std::vector<std::string> broken_;
  std::map<std::string, Trial> known_;  ///< by the fault's JSON
};

}  // namespace parity
