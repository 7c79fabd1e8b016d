// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/base/json/json.hpp"
#include "harness/compare/curves/series.hpp"
#include "harness/laws/run/recorded_run.hpp"

namespace parity::explain {

/// Parameters that one optimizer updates with the same settings.
struct Group {
  /// Patterns of parameter names ("layers.*.wq.weight") with the number of parameters of each. Empty: all.
  std::map<std::string, int64_t> parameters;
  std::string suffix;                           ///< of its channels: "" for the first group, then ".1"
  std::map<std::string, std::string> settings;  ///< of the first update, without the learning rate
};

/// What one run computes, as far as its trace says so. Functions return nothing, "" or an empty list for what
/// the trace does not say: never a default.
class Recipe {
 public:
  /// \param trace  outlives this object
  explicit Recipe(const trace::Trace& trace);

  const laws::RecordedRun& run() const { return run_; }
  const trace::Trace& trace() const { return run_.trace(); }
  /// Returns the facts that the recorder wrote (FORMAT.md, "Recipe"); an empty object without them.
  const Json& recorded() const { return recorded_; }
  /// Returns the config by dotted keys; empty for a config that another trainer was merely handed.
  const std::map<std::string, Json>& config() const { return config_; }
  /// Returns the first update; nothing for a run without one.
  std::optional<int64_t> first_step() const;

  /// Returns the names of the optimizers: "AdamW".
  std::string optimizer() const;
  std::vector<Group> groups() const;
  /// Returns a channel over all updates.
  std::optional<compare::Series> channel(const std::string& name) const;
  /// Returns the norm to which the run clips; 0 or less for a run that says that it does not.
  std::optional<double> max_norm() const;
  /// Returns the number of micro-batches of the first update.
  std::string micro_batches() const;

 private:
  std::map<std::string, std::string> settings_of(const std::string& suffix) const;

  laws::RecordedRun run_;
  Json recorded_;
  std::map<std::string, Json> config_;
};

/// Returns a JSON value as a person reads it: strings without quotation marks.
std::string plain_text(const Json& value);

}  // namespace parity::explain
