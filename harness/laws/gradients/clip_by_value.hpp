// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>

#include "harness/laws/law.hpp"
#include "harness/laws/run/clip_sets.hpp"
#include "harness/laws/run/recorded_run.hpp"

// The law "clip" at updates that clip the elements of their gradients: `clip.value` of the recipe, as the
// recorder of Python writes what torch.nn.utils.clip_grad_value_ was given.

namespace parity::laws {

/// A gradient that no call clips, at updates that clip others.
struct LeftOut {
  int64_t updates = 0;
  double largest = 0;  ///< size of its elements, as far as they were recorded
};

/// What clipping by value did to a run.
struct ValueClipping {
  int64_t elements = 0, cut = 0, updates = 0;
  int64_t odd = 0;                                                   ///< updates that depart
  double least = std::numeric_limits<double>::infinity(), most = 0;  ///< values
  std::map<std::string, LeftOut> left_out;                           ///< by the name of its parameter
};

/// Returns why updates that clip by value cannot be asked; "" if they can.
std::string why_not_by_value(const ClipPeriod& period);

/// Compares each gradient after clipping with the one before, clamped to [-value, value]. Elements below the
/// value have the same bits.
void check_values(const RecordedRun& run, const ClipPeriod& period, ValueClipping& all, Finding& finding);

/// Notes what was clipped, and which gradients were left out.
void note_values(const ValueClipping& all, Finding& finding);

}  // namespace parity::laws
