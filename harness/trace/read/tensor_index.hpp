// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "harness/trace/format/tensor_key.hpp"
#include "harness/trace/hdf5/input_file.hpp"
#include "harness/trace/hdf5/mapped_file.hpp"

namespace parity {

/// Where one tensor of a trace, or a rank's part of it, lies.
struct TensorPlace {
  DType dtype = DType::float32;
  Shape shape;
  int64_t order = 0;
  std::optional<uint64_t> offset;  ///< in the file, if it can be mapped there
  std::vector<std::byte> bytes;    ///< otherwise its values
  bool in_parts = false;           ///< not whole in this file
  std::optional<int64_t> layout;   ///< of the part that this file has; none: in a way we do not know
  std::optional<Digest> digest;    ///< that its sketch row says its values have
};

/// Names of the dataset of a whole tensor, and of a rank's part.
inline constexpr const char* whole_name = "0";
inline constexpr const char* part_name = "part";

/// Every tensor of /tensors, with each dataset checked. Tensors in layouts that cannot be mapped (chunked,
/// big-endian, unaligned: files of other writers) are read at once.
/// \param last_step  of a killed run: what it left of later steps is not looked at
std::map<TensorKey, TensorPlace> read_tensor_index(const InputFile& file,
                                                   std::optional<int64_t> last_step = std::nullopt);

}  // namespace parity
