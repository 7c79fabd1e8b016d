// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/data/text_corpus.hpp"

#include "harness/base/error.hpp"
#include "harness/base/file.hpp"
#include "reference/data/byte_tokenizer.hpp"

namespace parity::reference {

std::vector<int64_t> read_text_document(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path))
    throw UserError("data.path: no file " + path.string() + " (it does not exist); check the path",
                    ExitCode::missing);
  const std::string text = read_file(path);
  if (text.empty())
    throw UserError("data.path: " + path.string() + " is empty (there is nothing to train on); name another");
  if (const auto offset = first_invalid_utf8(text))
    throw UserError("data.path: " + path.string() + " is not UTF-8 (byte " + std::to_string(*offset) +
                    " begins no character); convert it, for example with iconv");
  return ByteTokenizer::encode_document(text);
}

}  // namespace parity::reference
