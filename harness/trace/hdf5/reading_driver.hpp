// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <hdf5.h>

#include "harness/trace/hdf5/source_file.hpp"

namespace parity::hdf5 {

/// Lets the file opened with the access list `access` be read from `source`, whatever its name says. HDF5
/// cannot write through it. It keeps `source` as long as it needs it.
void set_reading_driver(hid_t access, const std::shared_ptr<const SourceFile>& source);

}  // namespace parity::hdf5
