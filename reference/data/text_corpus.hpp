// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "reference/data/token_stream.hpp"

namespace parity::reference {

/// Returns the documents of a file, as tokens of ByteTokenizer: each row of a Parquet file, each line of JSON
/// lines (.jsonl), else the whole file, which is UTF-8.
/// \param column  of a Parquet file or of JSON lines; empty = "text"
/// \throws UserError as read_utf8_data, read_parquet_texts and read_json_lines_texts
std::vector<std::vector<int64_t>> read_text_documents(const std::filesystem::path& path,
                                                      const std::string& column = "");

/// The documents of a file one after the other, repeated without end. Sequence i begins at token i S of the
/// stream.
class TextCorpus : public TokenStream {
 public:
  /// \throws UserError as read_text_documents
  explicit TextCorpus(const std::filesystem::path& path, const std::string& column = "");
};

}  // namespace parity::reference
