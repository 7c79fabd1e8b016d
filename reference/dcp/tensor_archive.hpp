// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <torch/types.h>

namespace parity::reference {

/// Returns PyTorch's name of a dtype, such as "float32". \throws InternalError for a type without one here
std::string dtype_name(torch::ScalarType dtype);
/// Returns the dtype of a name; nothing for one that the trainer does not read.
std::optional<torch::ScalarType> dtype_of_name(std::string_view name);

/// Returns the bytes that torch.load reads as one tensor.
/// \param tensor  on any device, of any strides; only its own elements are written
std::vector<char> tensor_archive(const torch::Tensor& tensor);

/// Reads one tensor that torch.save or tensor_archive() wrote, from a range of a file.
/// \throws UserError if the range is damaged or has something else. Each record's checksum is compared.
torch::Tensor read_tensor_archive(const std::filesystem::path& file, int64_t position, int64_t length);

}  // namespace parity::reference
