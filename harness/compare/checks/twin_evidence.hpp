// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace parity::compare {

/// What the float64 twins of two arms showed for one quantity over the window of a check.
struct TwinMeasure {
  std::string quantity;  ///< "loss", or "grad layers.0.attention.wq.weight"
  double gap = 0;        ///< ||a - b||_2 between the twins
  double norm = 0;       ///< ||a||_2 of the reference's twin
  /// The larger of the arms' ||float32 - own float64 twin||_2, step by step for tensors.
  double floor = 0;
  double distance_a = 0;  ///< ||float32 - own float64 twin||_2 of the reference arm
  double distance_b = 0;  ///< ... and of the other arm
  /// For a channel, at each step of the window: the larger of the arms' |float32 - own twin|. Empty for
  /// tensors.
  std::vector<double> noise;
  bool estimated = false;  ///< estimated from sketches
  std::string broken;      ///< why no gap could be measured; "" if one was

  bool operator==(const TwinMeasure&) const = default;
};

/// All that a verdict uses from float64 twins. The float32 arms are measured separately (twins/gap.hpp), so
/// stored twin evidence can be judged again with arms that run now.
struct TwinEvidence {
  /// One row per quantity of the check, in its order.
  std::vector<TwinMeasure> measures;
  /// Where the twins computed differently; "" if nothing shows it.
  std::string other_path;

  bool operator==(const TwinEvidence&) const = default;
};

}  // namespace parity::compare
