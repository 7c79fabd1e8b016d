// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/json/items.hpp"
#include "reports/model/case.hpp"
#include "reports/model/checks/evidence.hpp"
#include "reports/model/curves/curve.hpp"

namespace parity::reports {

/// A check that is listed above the cases. Its rows and its picture stay in the case.
struct ListedCheck {
  size_t number = 0;  ///< position in its case
  Check check;
};

/// A run that did not finish.
struct LostArm {
  std::string name;
  results::FailureKind kind = results::FailureKind::crashed;
  std::string failure;  ///< one sentence
};

/// The summary of a case, for lists of all cases. It has no curves, rows, pictures or configs, and passed
/// checks are only counted, because a suite of a thousand cases keeps a thousand summaries in memory.
struct CaseLine {
  size_t place = 0;  ///< in results.json
  std::string name, file;
  bool passed = false;
  std::string skipped;  ///< why it was not judged on this machine; empty if it was
  std::string verdict, sentence;
  double seconds = 0;
  CaseTimes times;
  std::vector<std::string> notes;
  std::string power;
  std::vector<LostArm> lost_arms;
  std::vector<std::string> arms;  ///< names, in the order of the case
  std::optional<Curve> curve;     ///< thin_curve() of the curve that is shown first; nothing without curves
  size_t checks = 0, checks_failed = 0;
  size_t goldens_agree = 0;  ///< stored quantities that agree bit for bit
  EvidenceShare evidence;
  std::vector<ListedCheck> listed;  ///< failed checks, and changes of goldens

  bool failed() const { return !passed && skipped.empty(); }
};

/// How often a result was found, and how often it contradicts the case's claim.
struct Found {
  size_t number = 0, failed = 0;
};

/// A suite's results without the parts that only the complete cases have. Source: harness/results/RESULTS.md.
struct Results {
  std::string version, commit;
  bool dirty = false;
  std::vector<std::string> command;
  std::string started;  ///< ISO 8601, UTC
  double seconds = 0;
  Json environment = Json::object();
  int64_t runs = 0, runs_cached = 0;
  int64_t golden_files = 0;  ///< number of all; 0 if unknown
  double golden_bytes = 0, golden_limit = 0;
  bool interrupted = false;
  bool is_shard = false;
  std::vector<std::string> unfinished;  ///< cases that were not judged
  std::vector<int64_t> missing_shards;  ///< of a suite that ran in shards
  std::vector<std::string> mixed;       ///< how the origins of merged results differ; empty if equal
  std::vector<CaseLine> cases;
  std::map<std::string, Found> found;  ///< by Check::outcome()

  /// Adds the summary of the next case.
  void add(Case item);

  size_t cases_failed() const;
  size_t cases_skipped() const;
  size_t checks() const;
  size_t checks_failed() const;
  EvidenceShare evidence() const;
  CaseTimes times() const;  ///< of all cases; runs that several cases share count for each
  /// Returns whether at least one case was judged, and all judged cases hold.
  bool passed() const {
    return cases_failed() == 0 && whole() && (cases.empty() || cases_skipped() < cases.size());
  }
  /// Returns whether the results have every case of the suite.
  bool whole() const { return !interrupted && missing_shards.empty(); }
};

/// An open results.json: the summary of all cases, and each complete case on request.
class ResultsFile {
 public:
  /// Reads and validates every case once. \param origin  the name for messages
  /// \throws UserError as load_results
  ResultsFile(std::unique_ptr<std::istream> text, std::string origin);

  const Results& results() const { return results_; }
  /// Reads the case again. \param place  its position in the file
  Case whole(size_t place) const;

 private:
  std::string origin_;
  JsonItems cases_;
  Results results_;
};

/// Optional fields may be missing, unknown ones are ignored.
///
/// \throws UserError (exit 3) if there is no such file; (exit 2) if it is not JSON, has another major schema,
/// or a case is invalid (read_case)
ResultsFile load_results(const std::filesystem::path& file);

/// Reads results from text; `origin` is the name for messages.
ResultsFile parse_results(const std::string& text, const std::string& origin);

}  // namespace parity::reports
