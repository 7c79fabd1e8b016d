// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/cuda/plugin.hpp"

namespace parity::reference {

/// The kernels of a GPU, emulated on memory that the host cannot read otherwise (foreign_device.hpp).
extern const DeviceMeasure foreign_measure;

/// Measurements and differences that ran so in this process.
int64_t foreign_measurements();

}  // namespace parity::reference
