// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/json/json.hpp"
#include "harness/results/check.hpp"
#include "harness/results/curve.hpp"
#include "harness/results/failure_kind.hpp"
#include "harness/results/pictures.hpp"

namespace parity::results {

/// The state of an arm's run.
enum class ArmStatus {
  complete,
  failed,
  skipped,  ///< this machine lacks its device; the case is skipped too
};

/// Why a run failed.
struct ArmFailure {
  FailureKind kind = FailureKind::crashed;
  std::string message;                  ///< one sentence
  std::optional<int64_t> step = {};     ///< where the trainer stopped, if it says so
  std::string phase = {}, tensor = {};  ///< where the trainer stopped; "" if unknown

  std::string kind_name() const { return std::string(name_of(kind)); }
};

/// One arm and how its run went.
struct Arm {
  std::string name;
  std::string run;    ///< id of its run
  std::string twin;   ///< id of the float64 twin; "" without one
  std::string trace;  ///< relative to results.json
  bool cached = false;
  int64_t ranks = 1;
  int64_t steps = 0;
  double seconds = 0;
  std::optional<double> tokens_per_second;
  Json config = Json::object();
  Json provenance = Json::object();
  ArmStatus status = ArmStatus::complete;
  std::optional<ArmFailure> failure;  ///< set if `status` is not complete
  std::string stderr_tail;

  bool failed() const { return status == ArmStatus::failed; }
};

/// One config key whose value differs between arms; null for an arm that lacks the key.
struct ConfigDifference {
  std::string key;
  std::vector<std::pair<std::string, Json>> values;  ///< arm, value
};

/// The origin of a case's floors.
struct Calibration {
  std::string command;
  int64_t runs = 0;  ///< noise runs of an arm
  std::vector<std::string> kinds;
};

/// What `parity power` measured of a case.
struct PowerSummary {
  std::string sentence;
  std::string arm;
  bool clean = false;  ///< no run without a fault failed
};

/// Where the time of a case went [seconds].
struct CaseTimes {
  double training = 0;  ///< in updates
  double start = 0;     ///< the rest of its runs: processes, models, traces
  double judging = 0;
  double waiting = 0;  ///< for the judge, after its runs had ended

  void add(const CaseTimes& other);
};

/// The results of one case. Source: RESULTS.md.
struct Case {
  std::string name, file, title, question, source;
  std::vector<std::string> tags;
  std::string reference;  ///< arm to which gaps are measured
  bool passed = false;
  std::string skipped;  ///< why this machine could not judge the case; "" if it was judged
  std::string verdict;
  std::string sentence;
  double seconds = 0;  ///< of all its runs
  std::optional<CaseTimes> times;
  std::vector<std::string> notes;
  std::optional<PowerSummary> power;
  std::optional<Calibration> calibration;
  std::vector<Arm> arms;
  std::vector<ConfigDifference> config_difference;
  std::vector<Curve> curves;
  std::vector<MaskPicture> masks;
  std::vector<Check> checks;
  std::vector<std::string> settings;  ///< `--set` arguments that changed the case
  std::string reproduce;              ///< command that runs the case again
  std::string judged_from;            ///< hash of all that the verdict follows from; "" if unknown

  size_t checks_failed() const;
  /// A skipped case neither passed nor failed.
  bool failed() const { return !passed && skipped.empty(); }
  /// Returns the arm with this name; null if there is none.
  const Arm* find_arm(const std::string& wanted) const;
};

}  // namespace parity::results
