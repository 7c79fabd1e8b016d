// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "harness/api/include/parity/recorder.h"

namespace parity::capi {

/// The memory layout of a DLPack DLTensor, which is the same in every version of DLPack until now. Source:
/// the DLPack C API, version 1.1.
struct DlTensor {
  void* data;           ///< start of the allocation
  int32_t device_type;  ///< 1: CPU, 2: CUDA, ...
  int32_t device_id;
  int32_t ndim;
  uint8_t
      type_code;  ///< 0: int, 1: unsigned, 2: float, 4: bfloat, 6: bool, 10: float8_e4m3fn, 12: float8_e5m2
  uint8_t type_bits;
  uint16_t type_lanes;
  int64_t* shape;
  int64_t* strides;      ///< [elements]; null for row-major
  uint64_t byte_offset;  ///< of the first element, relative to `data`
};

/// Returns our name of a DLPack element type.
/// \throws UserError for types that a trace does not have
const char* dtype_of(const DlTensor& tensor);

/// Returns `about` with dtype, shape, strides and memory of a DLPack tensor.
/// \throws UserError for a type that a trace does not have, or device memory without `about.copy`
parity_tensor with_memory_of(parity_tensor about, const DlTensor& tensor);

}  // namespace parity::capi
