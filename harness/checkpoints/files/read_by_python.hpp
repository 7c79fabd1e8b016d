// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "harness/checkpoints/files/checkpoint.hpp"

namespace parity::checkpoints {

/// Reads a checkpoint of PyTorch in a child process, which runs no code of the file. The child writes a
/// temporary safetensors file, which has no name any more when this function returns.
/// \param path  as the user named it
/// \param file  the file to read; empty: `path` itself
/// \throws UserError with the child's sentence, also if Python or PyTorch is missing (exit 3)
Checkpoint read_by_python(const std::string& path, const std::filesystem::path& file = {});

}  // namespace parity::checkpoints
