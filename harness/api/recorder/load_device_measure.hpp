// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/api/recorder/device_measure.hpp"

namespace parity::capi {

/// Returns the functions of the library that measures on CUDA devices: PARITY_DEVICE_LIBRARY, or
/// libparity-device.so beside the library or program that this code is in. Opened once.
/// \throws UserError if it cannot be loaded, or is of another version; also if PARITY_DEVICE_LIBRARY is
/// "none"
const DeviceMeasure& load_device_measure();

}  // namespace parity::capi
