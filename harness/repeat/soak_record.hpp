// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/exit_code.hpp"
#include "harness/base/json/json.hpp"
#include "harness/compare/checks/condition.hpp"

namespace parity::repeat {

inline constexpr const char* record_schema = "parity.repeat/1";

/// A repetition that did not have the bits of the first run.
struct SoakFinding {
  int64_t repetition = 0;  ///< counted from 1; the first run is none
  compare::Condition under = compare::Condition::none;
  std::string verdict;          ///< "different", "crashed" or "missing"
  std::string sentence;         ///< what differs: step, tensor, rank, bits, operator
  std::string recurrence = {};  ///< "transient", ... (compare::Recurrence); "" if the repetition failed
  std::string looks_like = {};
  int64_t step = 0;  ///< first update that differs; 0 is the initial state
  std::string quantity = {};
  std::optional<int64_t> rank = {};
  std::string planted = {};  ///< the fault that was planted into the repetition; ""
  std::string run = {};      ///< folder of its run
  std::string time = {};     ///< when it ended, UTC

  Json to_json() const;
  static SoakFinding from_json(const Json& json);
};

/// The state of a soak, in OUT/state.json after every repetition.
struct SoakRecord {
  std::string target;     ///< "lr/warmup_index:one_indexed"
  std::string identity;   ///< hash of the run's identity; another run does not continue this soak
  std::string reference;  ///< id of the first run
  std::map<compare::Condition, int64_t> clean;  ///< repetitions that had the bits of the first run
  std::vector<SoakFinding> findings;
  double seconds = 0;  ///< of all sessions
  std::string compared =
      {};  ///< what the last repetition was compared in: "9 channels and 120 tensors at ..."

  int64_t clean_count() const;
  /// Returns the number of repetitions so far.
  int64_t count() const { return clean_count() + static_cast<int64_t>(findings.size()); }
  /// \param rate  of wrong runs that has to be excluded; not set: any
  ExitCode exit_code(const std::optional<double>& rate) const;
  /// Returns the result in a sentence or two, always with the excluded rate.
  std::string sentence(const std::optional<double>& rate) const;
  Json to_json(const std::optional<double>& rate) const;

  /// Writes OUT/state.json by a temporary file and a rename.
  void save(const std::filesystem::path& out) const;
  /// Reads OUT/state.json; nothing if there is none. \throws UserError if it is damaged
  static std::optional<SoakRecord> load(const std::filesystem::path& out);
};

}  // namespace parity::repeat
