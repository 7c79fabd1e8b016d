// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/power/gate.hpp"
#include "harness/suite/derived/extra_arms.hpp"

namespace parity::power {

/// The result of injecting one fault.
struct Trial {
  trace::Fault fault;
  std::string refused;      ///< why it could not be injected; "" if it was
  bool has_effect = false;  ///< whether it changed a bit of the tensor or of its float64 twin
  std::vector<Alarm> alarms;
  std::optional<trace::TensorKey> first;  ///< the first tensor that differs from the healthy run

  bool seen_by_golden() const;
  bool seen_by_arms() const;  ///< detected by any check except the golden's
  bool seen() const { return !alarms.empty(); }
  bool is_named() const;  ///< whether `first` is the tensor with the fault
  Json to_json() const;
};

/// Returns a case reduced to one arm: the checks that name it, their arms and its golden. Keeps all arms if
/// one of them is a command, which may read the traces of others.
suite::Case only_about(const suite::Case& source, const std::string& arm);

/// Injects faults into one arm of a case and judges the faulty runs by the case's gate.
///
/// Faulty runs, and their float64 twins where checks need them, are cached like any other run. Each trial is
/// made once.
class FaultTrials {
 public:
  /// Runs the case without faults. \throws UserError if the arm leaves no trace
  FaultTrials(const suite::Case& source, const std::string& arm, const suite::RunSettings& options,
              Progress& progress);

  /// Returns the trace of the arm without faults, with digests of every gradient and parameter.
  const trace::Trace& healthy() const;
  bool has_ranks() const;
  const suite::Case& source() const { return source_; }
  /// Returns the checks that fail without faults, in words.
  const std::vector<std::string>& broken() const { return broken_; }

  /// Returns one trial for each fault, in their order. \throws UserError as run_arms does
  std::vector<Trial> run(const std::vector<trace::Fault>& faults);

 private:
  suite::Case derived(const std::vector<trace::Fault>& faults) const;
  Trial judge(const trace::Fault& fault, size_t number, const suite::ArmRuns& runs, const Gate& gate) const;

  suite::Case source_;  ///< reduced to the arm
  std::string arm_;
  suite::RunSettings options_;
  suite::RunStore store_;
  Progress& progress_;
  std::optional<suite::ArmRuns> base_;
  bool has_twin_ = false;
  std::vector<std::string> broken_;
  std::map<std::string, Trial> known_;  ///< by the fault's JSON
};

}  // namespace parity::power
