// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <c10/core/DeviceType.h>

#include "reference/config/run_config.hpp"

namespace parity::reference {

/// Enables torch.autocast for the lifetime of this object. Operators that are safe in 16 bits (matrix
/// products, attention) take bfloat16 or float16, and the others take float32. Parameters stay float32.
/// The policy parallel.mixed_precision is another computation: it casts the parameters and leaves every
/// result in bfloat16. Source: NUMERICS.md 6.
class Autocast {
 public:
  /// \param on      false: does nothing
  /// \param device  whose operators
  explicit Autocast(bool on, c10::DeviceType device = c10::kCPU,
                    AutocastDtype dtype = AutocastDtype::bfloat16);
  ~Autocast();
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  bool on_;
  c10::DeviceType device_;
};

/// Returns whether the forward passes of a run use autocast: train.autocast is set, nothing overrides it, and
/// the run is in float32. A float64 twin has no 16-bit operators.
bool autocasts(const RunConfig& config);

/// Returns a warning if train.autocast has no effect because of FSDP or tensor parallelism. torchtitan warned
/// there too, and trained in float32.
std::vector<std::string> autocast_warnings(const RunConfig& config);

}  // namespace parity::reference
