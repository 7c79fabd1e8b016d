// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <hdf5.h>

#include "harness/trace/hdf5/source_file.hpp"

namespace parity::hdf5 {

/// Makes HDF5 read the file opened with the access list `access` from `source`, whatever its name. HDF5
/// cannot write through this driver. The driver keeps `source` as long as it needs it.
void set_reading_driver(hid_t access, const std::shared_ptr<const trace::SourceFile>& source);

}  // namespace parity::hdf5
