// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/api/recorder/dlpack.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include "harness/base/error.hpp"

namespace parity::capi {
namespace {

static_assert(sizeof(DlTensor) == 48 && offsetof(DlTensor, shape) == 24, "the layout of DLTensor on 64 bits");

struct TypeRow {
  uint8_t code;
  uint8_t bits;
  const char* dtype;
};

constexpr std::array<TypeRow, 12> types = {{{0, 8, "int8"},
                                            {0, 16, "int16"},
                                            {0, 32, "int32"},
                                            {0, 64, "int64"},
                                            {1, 8, "uint8"},
                                            {2, 16, "float16"},
                                            {2, 32, "float32"},
                                            {2, 64, "float64"},
                                            {4, 16, "bfloat16"},
                                            {6, 8, "bool"},
                                            {10, 8, "float8_e4m3fn"},
                                            {12, 8, "float8_e5m2"}}};

/// Returns whether the host can read the memory of a device type: CPU, pinned by CUDA or ROCm, CUDA managed.
bool is_host_memory(int32_t device_type) {
  return device_type == 1 || device_type == 3 || device_type == 11 || device_type == 13;
}

}  // namespace

const char* dtype_of(const DlTensor& tensor) {
  const auto found = std::ranges::find_if(types, [&](const TypeRow& row) {
    return row.code == tensor.type_code && row.bits == tensor.type_bits && tensor.type_lanes == 1;
  });
  if (found == types.end())
    throw UserError("cannot record a DLPack tensor of type code " + std::to_string(tensor.type_code) + ", " +
                    std::to_string(tensor.type_bits) + " bits, " + std::to_string(tensor.type_lanes) +
                    " lanes (a trace has no such dtype); convert it");
  return found->dtype;
}

parity_tensor with_memory_of(parity_tensor about, const DlTensor& tensor) {
  if (about.copy == nullptr && !is_host_memory(tensor.device_type))
    throw UserError("cannot read a DLPack tensor on a device of type " + std::to_string(tensor.device_type) +
                    " (it is not host memory); set parity_tensor.copy");
  about.dtype = dtype_of(tensor);
  about.rank = tensor.ndim;
  about.shape = tensor.shape;
  about.strides = tensor.strides;
  void* first = tensor.data == nullptr ? nullptr : static_cast<std::byte*>(tensor.data) + tensor.byte_offset;
  about.data = first;
  about.writable = about.writable == nullptr ? nullptr : first;
  return about;
}

}  // namespace parity::capi
