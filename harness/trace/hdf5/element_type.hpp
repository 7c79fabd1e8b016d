// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "harness/tensor/dtype.hpp"
#include "harness/trace/hdf5/hdf5.hpp"

namespace parity {

/// The HDF5 type of a dtype in our files, little-endian: IEEE floats as such, bfloat16 and float8_e5m2 as
/// HDF5 float types of their layout, float8_e4m3fn as uint8 (HDF5 cannot say that it has no infinity), bool
/// as h5py writes it (an enum of FALSE and TRUE over int8).
hdf5::Handle element_type(DType dtype);

/// The dtype of a dataset.
/// \param declared  its attribute `dtype`, if it has one: needed for float8_e4m3fn, checked for the others
/// \throws UserError if the type is none of ours, or not the declared one
DType dtype_of(hid_t dataset, const std::optional<std::string>& declared);

}  // namespace parity
