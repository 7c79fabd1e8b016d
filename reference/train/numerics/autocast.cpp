// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/train/numerics/autocast.hpp"

#include <ATen/autocast_mode.h>

namespace parity::reference {
namespace {

/// Returns what overrides autocast; "" if nothing does.
std::string overridden_by(const RunConfig& config) {
  const ParallelConfig& parallel = config.parallel;
  if (parallel.has_units())
    return "FSDP casts by its own policy";
  return parallel.tp > 1 || parallel.pp > 1 ? "tensor and pipeline parallel without FSDP train in float32"
                                            : "";
}

}  // namespace

Autocast::Autocast(bool on, c10::DeviceType device, AutocastDtype dtype) : on_(on), device_(device) {
  if (!on_)
    return;
  at::autocast::increment_nesting();
  at::autocast::set_autocast_dtype(device_, dtype == AutocastDtype::float16 ? at::kHalf : at::kBFloat16);
  at::autocast::set_autocast_enabled(device_, true);
}

Autocast::~Autocast() {
  if (!on_)
    return;
  at::autocast::set_autocast_enabled(device_, false);
  if (at::autocast::decrement_nesting() == 0)
    at::autocast::clear_cache();
}

bool autocasts(const RunConfig& config) {
  return config.train.autocast && config.dtype == Precision::float32 && overridden_by(config).empty();
}

std::vector<std::string> autocast_warnings(const RunConfig& config) {
  const std::string reason = overridden_by(config);
  if (!config.train.autocast || reason.empty())
    return {};
  return {"train.autocast has no effect (" + reason +
          "); set parallel.mixed_precision = \"bf16\" with FSDP units, or leave it out"};
}

}  // namespace parity::reference
