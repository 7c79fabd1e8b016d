// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace parity {

/// What the float64 twins of two arms showed of one quantity over the window of a check.
struct TwinMeasure {
  std::string quantity;  ///< "loss", or "grad layers.0.attention.wq.weight"
  double gap = 0;        ///< ||a - b||_2 between the twins
  double norm = 0;       ///< ||a||_2 of the reference's twin
  double floor = 0;  ///< the larger of the arms' ||float32 - own float64 twin||_2, step by step for tensors
  double distance_a = 0;  ///< ||float32 - own float64 twin||_2 of the reference arm
  double distance_b = 0;  ///< ... and of the other arm
  /// Of a channel, at each step of the window: the larger of the arms' |float32 - own twin|. Empty for
  /// tensors.
  std::vector<double> noise;
  bool estimated = false;  ///< from sketches
  std::string broken;      ///< why no gap could be measured; "" if one was

  bool operator==(const TwinMeasure&) const = default;
};

/// All that a verdict takes from float64 twins. The float32 arms are measured separately (twin_gap.hpp), so
/// stored twin evidence can be judged again beside arms that run now.
struct TwinEvidence {
  std::vector<TwinMeasure> measures;  ///< a row for each quantity of the check, in its order
  std::string other_path;             ///< where the twins took different ways; "" if nothing shows it

  bool operator==(const TwinEvidence&) const = default;
};

}  // namespace parity
