// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/enum_names.hpp"
#include "harness/base/json.hpp"
#include "harness/trace/format/phase.hpp"

namespace parity {

/// What a fault does to a tensor's values.
enum class FaultKind {
  scale,              ///< x (1 + size)
  perturb,            ///< x (1 + s size), s = +1 or -1 by a hash of seed, name and the element's global index
  ulp,                ///< one element to its neighbour away from 0
  sign_flip,          ///< one element to its negative
  bf16,               ///< rounded to bfloat16 and back
  row_zeroed,         ///< one row along dimension 0 to 0
  stale,              ///< the values that the trainer had at the step before
  swapped_shard,      ///< the first and the last half along dimension 0, of what a rank holds, change places
  dropped_reduction,  ///< a gradient as the rank had it before it was reduced
};

template <>
struct EnumNames<FaultKind> {
  static constexpr std::string_view what = "kind of fault";
  static constexpr std::array<std::string_view, 9> names = {
      "scale",      "perturb", "ulp",           "sign_flip",        "bf16",
      "row_zeroed", "stale",   "swapped_shard", "dropped_reduction"};
};
static_assert(EnumNames<FaultKind>::names.size() == static_cast<size_t>(FaultKind::dropped_reduction) + 1);

/// How much of a tensor a kind of fault reaches where neither an element nor a row is named.
enum class FaultExtent {
  narrowable,  ///< all of it
  element,     ///< one element, drawn by the seed among those that are neither 0 nor infinite nor NaN
  row,         ///< the row of such an element
  all,         ///< all of it; no element and no row can be named
};

/// What every kind is like.
struct FaultKindRow {
  FaultKind kind;
  bool sized;  ///< whether it has a size
  FaultExtent extent;
  std::string_view summary;
};

/// A row for each kind, in order.
std::span<const FaultKindRow> fault_kinds();
const FaultKindRow& row_of(FaultKind kind);

/// A defect that is put into a run: a change of tensors at the moment the trainer offers them to its
/// Recorder, which goes on into the training. Stands in the capture that a run is given, as JSON:
///
///     {"kind": "scale", "steps": [3], "phase": "grad", "name": "layers.0.*", "size": 1e-6, "seed": 1,
///      "rank": 0, "element": 12}
///
/// Needed are kind, phase and name, and size where the kind has one. Part of a run's identity.
struct Fault {
  FaultKind kind = FaultKind::scale;
  std::vector<int64_t> steps;  ///< empty: every one. 0 is the initial state
  Phase phase = Phase::grad;
  std::string name = "*";  ///< glob over logical names
  double size = 0;         ///< relative; of the kinds that have one
  uint64_t seed = 0;
  std::optional<int64_t> rank;     ///< nothing: every rank
  std::optional<int64_t> element;  ///< row-major index in the logical tensor; nothing: as the kind says
  std::optional<int64_t> row;      ///< index along dimension 0 of the logical tensor; likewise

  bool operator==(const Fault&) const = default;
  bool at_step(int64_t step) const;
  bool covers(int64_t step, Phase at_phase, std::string_view tensor) const;
  /// "scale by 1 + 1e-06 of grad layers.0.* at step 3, on rank 1".
  std::string text() const;
  Json to_json() const;
  /// \throws UserError naming the key or value that is wrong
  static Fault from_json(const Json& json);
};

Json to_json(const std::vector<Fault>& faults);
/// \throws UserError if the list or one of it is no such thing
std::vector<Fault> faults_from_json(const Json& json);

/// What a fault did to a run, over its steps, tensors and ranks. An attribute of the run's trace.
struct FaultReport {
  Fault fault;
  int64_t tensors = 0;   ///< it was applied to, counted at each step; 0: it has met none
  int64_t elements = 0;  ///< of these that it reached
  int64_t changed = 0;   ///< of these whose bits are others now
  Json first;            ///< where it began: {"step", "phase", "name"}, with "element" or "row" where one was
                         ///< drawn or named; null if nowhere

  Json to_json() const;
};

Json to_json(const std::vector<FaultReport>& reports);
/// \throws UserError if it is not a list of reports
std::vector<FaultReport> fault_reports_from_json(const Json& json);
/// The same faults met elsewhere: on another rank, or before the run was resumed.
void add(std::vector<FaultReport>& reports, const std::vector<FaultReport>& others);

}  // namespace parity
