// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/cuda/plugin.hpp"

namespace parity::reference {

/// Returns the plug-in's functions that measure on a device; null in a build without kernels.
const DeviceMeasure* device_measure();

}  // namespace parity::reference
