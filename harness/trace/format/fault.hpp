// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/enum_names.hpp"
#include "harness/base/json/json.hpp"
#include "harness/trace/format/phase.hpp"

namespace parity::trace {

/// What a fault does to a tensor's values.
enum class FaultKind {
  scale,       ///< x (1 + size)
  perturb,     ///< x (1 + s size), s = +1 or -1 by a hash of seed, name and the element's global index
  ulp,         ///< moves one element to its neighbour away from 0
  sign_flip,   ///< negates one element
  bf16,        ///< rounds to bfloat16 and back
  row_zeroed,  ///< sets one row along dimension 0 to 0
  stale,       ///< puts back the values of the step before
  /// Swaps the first and the last half along dimension 0 of what a rank holds.
  swapped_shard,
  /// Replaces a gradient by the rank's own, unreduced one.
  dropped_reduction,
  /// Flips one bit of one element, as memory or a wire does. The only kind that a collective's buffers take
  /// besides scale, perturb, ulp and sign_flip (FORMAT.md, "Collectives").
  bit_flip,
};

constexpr auto enum_names(FaultKind) {
  return named<FaultKind::bit_flip>("kind of fault",
                                    {"scale", "perturb", "ulp", "sign_flip", "bf16", "row_zeroed", "stale",
                                     "swapped_shard", "dropped_reduction", "bit_flip"});
}

/// How much of a tensor a kind of fault changes, if the fault names neither an element nor a row.
enum class FaultExtent {
  narrowable,  ///< all of it
  element,     ///< one element, drawn by the seed among those that are neither 0 nor infinite nor NaN
  row,         ///< the row of such an element
  /// All of it; the fault cannot name an element or a row.
  all,
};

/// Properties of a kind of fault.
struct FaultKindRow {
  FaultKind kind;
  bool sized;  ///< whether the fault has a `size`
  FaultExtent extent;
  std::string_view summary;
};

/// Returns a row for each kind, in the order of the enum.
std::span<const FaultKindRow> fault_kinds();
const FaultKindRow& row_of(FaultKind kind);

/// A defect injected into a run. It changes tensors at the moment the trainer offers them to its Recorder, so
/// the training continues with the changed values. The run's capture lists its faults as JSON:
///
///     {"kind": "scale", "steps": [3], "phase": "grad", "name": "layers.0.*", "size": 1e-6, "seed": 1,
///      "rank": 0, "element": 12}
///
/// Required keys are kind, phase and name, and size if the kind has one. Part of a run's identity.
struct Fault {
  FaultKind kind = FaultKind::scale;
  std::vector<int64_t> steps;  ///< empty: every step; 0 is the initial state
  Phase phase = Phase::grad;
  std::string name = "*";  ///< glob over logical names
  double size = 0;         ///< relative; only for kinds that have one
  uint64_t seed = 0;
  std::optional<int64_t> rank;  ///< not set: every rank
  /// Row-major index in the logical tensor. If not set, the kind's FaultExtent decides.
  std::optional<int64_t> element;
  /// Index along dimension 0 of the logical tensor. If not set, the kind's FaultExtent decides.
  std::optional<int64_t> row;
  /// For bit_flip: the bit, from 0 for the lowest. If not set, the seed draws it.
  std::optional<int64_t> bit = {};

  bool operator==(const Fault&) const = default;
  bool at_step(int64_t step) const;
  bool covers(int64_t step, Phase at_phase, std::string_view tensor) const;
  /// Returns the fault as text: "scale by 1 + 1e-06 of grad layers.0.* at step 3, on rank 1".
  std::string text() const;
  Json to_json() const;
  /// Parses the JSON form. \throws UserError naming the invalid key or value
  static Fault from_json(const Json& json);
};

Json to_json(const std::vector<Fault>& faults);
/// Parses a list of faults. \throws UserError if the list or an item is invalid
std::vector<Fault> faults_from_json(const Json& json);

/// What a fault did to a run, over its steps, tensors and ranks. Stored as an attribute of the run's trace.
struct FaultReport {
  Fault fault;
  /// Tensors that the fault was applied to, counted at each step; 0 if the fault matched none.
  int64_t tensors = 0;
  int64_t elements = 0;  ///< elements of these tensors that it reached
  int64_t changed = 0;   ///< reached elements whose bits changed
  /// The first place: {"step", "phase", "name"}, with "element" or "row" if one was drawn or named. Null if
  /// the fault matched no tensor.
  Json first;

  Json to_json() const;
};

Json to_json(const std::vector<FaultReport>& reports);
/// Parses a list of reports. \throws UserError if it is invalid
std::vector<FaultReport> fault_reports_from_json(const Json& json);
/// Adds reports of the same faults from another rank, or from before the run was resumed.
void add(std::vector<FaultReport>& reports, const std::vector<FaultReport>& others);

}  // namespace parity::trace
