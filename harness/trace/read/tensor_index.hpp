// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "harness/measure/tensor/digest.hpp"
#include "harness/tensor/tensor_view.hpp"
#include "harness/trace/format/tensor_key.hpp"
#include "harness/trace/hdf5/input_file.hpp"
#include "harness/trace/hdf5/mapped_file.hpp"

namespace parity::trace {

/// Where a file holds one tensor, or a rank's part of it.
struct TensorPlace {
  DType dtype = DType::float32;
  Shape shape;
  int64_t order = 0;
  std::optional<uint64_t> offset;  ///< position in the file, if it can be mapped
  std::vector<std::byte> bytes;    ///< its values if it cannot be mapped
  bool in_parts = false;           ///< the file holds only a part
  /// Layout of the part in this file. Not set if the file describes the part in an unknown way.
  std::optional<int64_t> layout;
  std::optional<measure::Digest> digest;  ///< digest of the values, from the sketch row
};

/// Dataset names of a whole tensor and of a rank's part.
inline constexpr const char* whole_name = "0";
inline constexpr const char* part_name = "part";

/// Returns every tensor of /tensors and checks each dataset. Tensors that cannot be mapped (chunked,
/// big-endian, unaligned: files of other writers) are read immediately.
/// \param last_step  last committed step of a killed run; later steps are ignored
std::map<TensorKey, TensorPlace> read_tensor_index(const InputFile& file,
                                                   std::optional<int64_t> last_step = std::nullopt);

}  // namespace parity::trace
