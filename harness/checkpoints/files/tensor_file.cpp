// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/checkpoints/files/tensor_file.hpp"

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/base/text/escape_for_terminal.hpp"

namespace parity::checkpoints {
namespace fs = std::filesystem;

uint64_t size_of_weights(const fs::path& path) {
  std::error_code error;
  if (!fs::exists(path, error))
    throw UserError(
        "no weights " + escape_for_terminal(path.string()) + " (the file does not exist); check the path",
        ExitCode::missing);
  open_file(path);  // throws with the reason
  return fs::file_size(path);
}

}  // namespace parity::checkpoints
