// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/data/text_corpus.hpp"

#include "harness/base/files/data_names.hpp"
#include "reference/data/byte_tokenizer.hpp"
#include "reference/data/data_file.hpp"
#include "reference/data/formats/json_lines.hpp"
#include "reference/data/formats/parquet_tokens.hpp"

namespace parity::reference {
namespace {

std::vector<int64_t> joined(const std::vector<std::vector<int64_t>>& documents) {
  std::vector<int64_t> tokens;
  for (const std::vector<int64_t>& document : documents)
    tokens.insert(tokens.end(), document.begin(), document.end());
  return tokens;
}

/// Returns the texts of a file that has one document a row.
std::vector<std::string> read_texts(const std::filesystem::path& path, const std::string& column) {
  return is_parquet_name(path.string()) ? read_parquet_texts(path, column)
                                        : read_json_lines_texts(path, column);
}

}  // namespace

std::vector<std::vector<int64_t>> read_text_documents(const std::filesystem::path& path,
                                                      const std::string& column) {
  if (!is_parquet_name(path.string()) && !is_json_lines_name(path.string()))
    return {ByteTokenizer::encode_document(read_utf8_data(path))};
  std::vector<std::vector<int64_t>> documents;
  for (const std::string& text : read_texts(path, column))
    documents.push_back(ByteTokenizer::encode_document(text));
  return documents;
}

TextCorpus::TextCorpus(const std::filesystem::path& path, const std::string& column)
    : TokenStream(joined(read_text_documents(path, column))) {}

}  // namespace parity::reference
