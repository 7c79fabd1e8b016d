// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "harness/base/terminal/progress.hpp"
#include "harness/bisect/commits/trace_gap.hpp"
#include "harness/bisect/versions/environments.hpp"
#include "harness/bisect/versions/question.hpp"

namespace parity::bisect {

/// What the arms of the case did in one environment.
struct VersionAnswer {
  std::map<std::string, std::filesystem::path> traces;  ///< by arm; empty: it cannot be judged
  bool crashed = false;                                 ///< it was installed, and a run failed in it
  std::string reason;                                   ///< set if it cannot be judged, or crashed
  std::filesystem::path log;

  bool measured() const { return !traces.empty(); }
};

/// The largest difference between two environments.
struct VersionGap {
  double size = 0;
  std::string arm;
  std::optional<GapPlace> first, largest;
  std::string recorded_otherwise;  ///< set if the two share nothing to compare (TraceGap); `size` is infinite

  /// Returns "loss first at step 3 from 2.5 to 2.75 (relative 0.1)", or how the second records otherwise.
  std::string text() const { return first ? first->text() : recorded_otherwise; }
};

/// Runs the case's arms in environments, and compares what they left.
class VersionProbe {
 public:
  /// \param question  complete; outlives this object, as does `progress`
  VersionProbe(const VersionQuestion& question, Progress& progress);

  /// Returns the answer with these packages. Each is evaluated once; a repeated search reads its runs from
  /// the cache.
  const VersionAnswer& ask(const Pins& pins);
  /// Returns the difference between two environments. A crash differs from a measurement by infinity, and two
  /// crashes do not differ.
  /// \throws UserError (exit 3) if both record only settings such as lr, which agree without equal training
  VersionGap gap(const Pins& before, const Pins& after);
  /// Returns the distance between two runs with the same packages. The second is kept like the first.
  double own_distance(const Pins& pins);
  double distance(const Pins& before, const Pins& after) { return gap(before, after).size; }

  Environments& environments() { return environments_; }
  int64_t runs() const { return runs_; }
  int64_t cached() const { return cached_; }
  /// Returns the channels and tensors that only some environments record.
  const std::set<std::string>& one_sided() const { return one_sided_; }

 private:
  /// \param again  for a second run
  VersionAnswer evaluate(const Pins& pins, bool again = false);
  VersionGap gap(const VersionAnswer& first, const VersionAnswer& second);

  const VersionQuestion& question_;
  Progress& progress_;
  Environments environments_;
  std::map<std::string, VersionAnswer> answers_;
  std::map<std::string, double> own_distances_;
  std::set<std::string> one_sided_;
  int64_t runs_ = 0, cached_ = 0;
};

}  // namespace parity::bisect
