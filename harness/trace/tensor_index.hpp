// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "harness/trace/input_file.hpp"
#include "harness/trace/mapped_file.hpp"
#include "harness/trace/trace.hpp"

namespace parity {

/// Where one tensor of a trace lies.
struct TensorPlace {
  DType dtype = DType::float32;
  Shape shape;
  int64_t order = 0;
  std::optional<uint64_t> offset;  ///< in the file, if it can be mapped there
  std::vector<std::byte> bytes;    ///< otherwise its values
  bool in_parts = false;           ///< of a later minor version; not read
};

/// Every tensor of /tensors, with each dataset checked. Tensors in layouts that cannot be mapped (chunked,
/// big-endian, unaligned: files of other writers) are read at once.
/// \param last_step  of a killed run: what it left of later steps is not looked at
std::map<TensorKey, TensorPlace> read_tensor_index(const InputFile& file,
                                                   std::optional<int64_t> last_step = std::nullopt);

}  // namespace parity
