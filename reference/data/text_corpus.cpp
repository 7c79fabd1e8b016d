// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/data/text_corpus.hpp"

#include "reference/data/byte_tokenizer.hpp"
#include "reference/data/data_file.hpp"

namespace parity::reference {

std::vector<int64_t> read_text_document(const std::filesystem::path& path) {
  return ByteTokenizer::encode_document(read_utf8_data(path));
}

}  // namespace parity::reference
