// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <c10/core/DeviceType.h>

#include "reference/config/run_config.hpp"

namespace parity::reference {

/// While it lives, operators that are safe in 16 bits (matrix products, attention) take bfloat16, and those
/// that are not take float32; parameters and what lies between stay float32. That is torch.autocast, and
/// another computation than the policy parallel.mixed_precision, which casts parameters and leaves every
/// result in bfloat16. Source: NUMERICS.md 6.
class Autocast {
 public:
  /// \param on      false: does nothing
  /// \param device  whose operators
  explicit Autocast(bool on, c10::DeviceType device = c10::kCPU);
  ~Autocast();
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  bool on_;
  c10::DeviceType device_;
};

/// Whether a run's forward passes run under it: where train.autocast asks for it and nothing overrides it, in
/// float32. A float64 twin has no 16 bits anywhere.
bool autocasts(const RunConfig& config);

/// What train.autocast cannot do where FSDP or tensor parallel are: torchtitan ignored it there with a
/// warning, and trained in float32.
std::vector<std::string> autocast_warnings(const RunConfig& config);

}  // namespace parity::reference
