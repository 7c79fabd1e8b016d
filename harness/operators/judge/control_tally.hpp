// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "harness/operators/judge/controls.hpp"

namespace parity::operators {

/// How a check answered the negative controls, over all tensors and points.
class ControlTally {
 public:
  explicit ControlTally(const compare::Check& check) : check_(check) {}

  /// Asks all controls about one tensor for which the claim holds.
  /// \param place  "grad x at b = 7, float32"
  void ask(const TensorSides& sides, const ControlSources& sources, const std::string& place);
  /// Returns why the check proves nothing: the control that it passes, and where; or that the right answer is
  /// what a kernel without any work returns. "" if it rejects every control.
  std::string weakness() const;
  /// Returns name and answer of each control that the check has to detect.
  std::vector<std::pair<std::string, std::string>> answers() const;

 private:
  struct Answer {
    int64_t rejected = 0;
    std::string passed = {};  ///< where the check passed it first; "" if nowhere
  };

  const compare::Check& check_;
  bool asked_ = false;
  std::array<Answer, EnumNames<Control>::names.size()> answers_ = {};
};

}  // namespace parity::operators
