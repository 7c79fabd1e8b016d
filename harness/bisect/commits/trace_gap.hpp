// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/json/json.hpp"
#include "harness/trace/read/trace.hpp"

namespace parity::bisect {

/// The first place where a quantity of two traces differs.
struct GapPlace {
  std::string quantity;  ///< "loss" or "grad layers.0.wq.weight"
  int64_t step = 0;
  std::string before, after;  ///< values of a channel; "" for a tensor
  double size = 0;            ///< gap of this quantity over all steps
  /// |before - after| / |before| at `step`. Set if the quantity is a channel whose gap is larger at a later
  /// step.
  std::optional<double> size_here;

  /// Returns "loss first at step 3 from 2.5 to 2.75 (relative 1.0e-01)". Where the gap grows later, it is
  /// "(relative 8.9e-05; over all steps 0.00052)".
  std::string text() const;
  Json to_json() const;
};

/// The gap between two traces in the quantities and steps that both recorded. A quantity or step that only
/// one trace has does not count, since newer trainers record more. Values that are NaN on both sides, or the
/// same infinity, are one state: they do not differ.
struct TraceGap {
  /// The largest gap of any quantity; never 0 if bits differ.
  ///
  /// The gap of a channel is max|a - b| / max|a|, that of a tensor the relative L2 gap. It is infinite if a
  /// number is finite in one trace only, or if single ranks differ although the joined tensors agree.
  double size = 0;
  std::optional<GapPlace> first;    ///< of the loss if it differs, else of the earliest quantity
  std::optional<GapPlace> largest;  ///< of the quantity with the gap `size`
  /// The channels, tensors and steps that only one trace has: "lr", "3 grad tensors", "steps 8-10".
  std::vector<std::string> one_sided;
  /// Set if the traces share nothing by which training can be compared (only settings such as lr, or
  /// nothing), and at least one of them has more: "records train_loss and no longer loss". `size` is then
  /// infinite.
  std::string recorded_otherwise;
  bool only_settings = false;  ///< neither trace has more than settings, which agree without equal training
};

/// Returns the gap between two traces.
/// \param channels  globs: only these channels and no tensors; empty: everything numeric
/// \throws UserError if a glob of `channels` matches nothing in either trace
TraceGap gap_between(const trace::Trace& before, const trace::Trace& after,
                     const std::vector<std::string>& channels);

/// Returns how two runs of one state differ: "by relative 0.0005", or "in how they end or in NaN".
std::string describe_own_gap(double size);
/// Returns "; --tolerance above 0.0005 leaves larger steps only"; "" if no tolerance does.
std::string describe_remedy(double largest_own_gap);

}  // namespace parity::bisect
