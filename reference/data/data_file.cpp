// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/data/data_file.hpp"

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "reference/data/byte_tokenizer.hpp"

namespace parity::reference {
namespace fs = std::filesystem;

void require_data_file(const fs::path& path) {
  if (!fs::exists(path))
    throw UserError("data.path: no file " + path.string() + " (it does not exist); check the path",
                    ExitCode::missing);
}

void refuse_empty_data(const fs::path& path) {
  throw UserError("data.path: " + path.string() + " is empty (there is nothing to train on); name another");
}

std::string read_utf8_data(const fs::path& path) {
  require_data_file(path);
  std::string text = read_file(path);
  if (text.empty())
    refuse_empty_data(path);
  if (const auto offset = first_invalid_utf8(text))
    throw UserError("data.path: " + path.string() + " is not UTF-8 (byte " + std::to_string(*offset) +
                    " does not begin a character); convert it, for example with iconv");
  return text;
}

}  // namespace parity::reference
