// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

namespace parity::reference {

/// What whoever drives a trainer may say of one update. What is not given is the schedule's or the config's.
/// The last three are AdamW's.
struct UpdateNumbers {
  std::optional<double> lr = {};
  std::optional<double> weight_decay = {};
  std::optional<double> beta1 = {};
  std::optional<double> beta2 = {};
  std::optional<double> eps = {};

  bool has_adam() const { return beta1 || beta2 || eps; }
};

}  // namespace parity::reference
