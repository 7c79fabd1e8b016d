// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "harness/tensor/dtype.hpp"
#include "harness/trace/hdf5/hdf5.hpp"

namespace parity::trace {

/// Returns the HDF5 type of a dtype in traces, little-endian. IEEE floats use HDF5's types. bfloat16 and
/// float8_e5m2 are HDF5 float types of their layout. float8_e4m3fn is uint8, because HDF5 cannot express that
/// it has no infinity. bool is an enum of FALSE and TRUE over int8, as h5py writes it.
hdf5::Handle element_type(DType dtype);

/// Returns the dtype of a dataset.
/// \param declared  its attribute `dtype`, if it has one; required for float8_e4m3fn, checked for the others
/// \throws UserError if the type is not supported, or differs from the declared one
DType dtype_of(hid_t dataset, const std::optional<std::string>& declared);

}  // namespace parity::trace
