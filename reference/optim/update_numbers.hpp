// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

namespace parity::reference {

/// Numbers of one update that a trainer's caller may choose. The schedule or the config provides the others.
/// The last three are for AdamW, Adam and Lion.
struct UpdateNumbers {
  std::optional<double> lr = {};
  std::optional<double> muon_lr = {};  ///< of Muon's matrices; without it they have `lr`
  std::optional<double> weight_decay = {};
  std::optional<double> beta1 = {};
  std::optional<double> beta2 = {};
  std::optional<double> eps = {};

  bool has_adam() const { return beta1 || beta2 || eps; }
};

}  // namespace parity::reference
