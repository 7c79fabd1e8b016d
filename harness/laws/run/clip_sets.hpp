// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "harness/laws/run/recorded_run.hpp"

// The calls that clip, as the recorder of Python writes them into the recipe (FORMAT.md, "Recipe").

namespace parity::laws {

/// Gradients that a run clips together.
struct ClipSet {
  std::set<std::string> names = {};  ///< of the parameters; empty: all
  std::vector<double> max_norms =
      {};                    ///< of the calls that clip them, in order; empty without a list of calls
  double order = 2;          ///< of the norm (norm_type); NaN: not known
  std::string channel = {};  ///< that has the norm before the first of the calls

  bool has(const std::string& name) const { return names.empty() || names.contains(name); }
};

/// The sets of gradients that a run clips by a norm.
struct ClipSets {
  std::vector<ClipSet> list;  ///< in the order of their channels
  bool has_calls = false;     ///< whether the recipe lists several calls
  std::string problem;        ///< why the sets are not known; "" if they are

  /// Returns whether one call clips everything by its L2 norm, as far as the trace says.
  bool is_plain() const { return !has_calls && list.front().order == 2; }
};

/// Updates in a row whose calls were given the same.
struct ClipPeriod {
  std::vector<int64_t> steps;
  Json calls;            ///< what they were given (RecordedRun::clip)
  ClipSets sets;         ///< one set of all gradients without a list of calls
  bool by_norm = false;  ///< whether a call clips by a norm
  bool by_value = false;

  /// Returns whether one call at most clips everything by its L2 norm, as far as the trace says.
  bool is_plain() const { return calls.is_object() && sets.is_plain(); }
};

/// Returns the updates of a run by what they clip; each update once.
std::vector<ClipPeriod> clip_periods(const RecordedRun& run);

/// Returns whether the calls of an update clip elements at a value.
bool clips_by_value(const RecordedRun& run, int64_t step);

}  // namespace parity::laws
