// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/json.hpp"
#include "harness/trace/read/trace.hpp"

namespace parity {

/// The first place where a quantity of two traces differs.
struct GapPlace {
  std::string quantity;  ///< "loss" or "grad layers.0.wq.weight"
  int64_t step = 0;
  std::string before, after;  ///< values of a channel; "" of a tensor
  double size = 0;            ///< of this quantity, over all steps

  /// "loss first at step 3 from 2.5 to 2.75 (relative 1.0e-01)".
  std::string text() const;
  Json to_json() const;
};

/// One number for how far two traces lie apart, in what both recorded. A quantity or a step that only one has
/// is no distance: trainers learn to record more.
struct TraceGap {
  /// The largest over quantities: of a channel max|a - b| / max|a|, of a tensor the relative L2 gap; infinite
  /// where a number is not finite on one side, or single ranks differ and what they join to does not; never 0
  /// if bits differ.
  double size = 0;
  std::optional<GapPlace> first;    ///< of the loss if that differs, else of the earliest quantity
  std::optional<GapPlace> largest;  ///< of the quantity that `size` is about
  /// What only one of them has: channels, "3 grad tensors", "steps 8-10".
  std::vector<std::string> one_sided;
};

/// \param channels  globs: only these channels, and no tensors; empty: everything numeric
/// \throws UserError if there is nothing that both recorded
TraceGap gap_between(const Trace& before, const Trace& after, const std::vector<std::string>& channels);

}  // namespace parity
