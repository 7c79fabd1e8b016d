// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/data/text_corpus.hpp"

#include "reference/data/byte_tokenizer.hpp"
#include "reference/data/data_file.hpp"
#include "reference/data/formats/parquet_tokens.hpp"
#include "reference/data/parquet/read_parquet.hpp"

namespace parity::reference {
namespace {

std::vector<int64_t> joined(const std::vector<std::vector<int64_t>>& documents) {
  std::vector<int64_t> tokens;
  for (const std::vector<int64_t>& document : documents)
    tokens.insert(tokens.end(), document.begin(), document.end());
  return tokens;
}

}  // namespace

std::vector<std::vector<int64_t>> read_text_documents(const std::filesystem::path& path,
                                                      const std::string& column) {
  if (!is_parquet(path))
    return {ByteTokenizer::encode_document(read_utf8_data(path))};
  std::vector<std::vector<int64_t>> documents;
  for (const std::string& text : read_parquet_texts(path, column))
    documents.push_back(ByteTokenizer::encode_document(text));
  return documents;
}

TextCorpus::TextCorpus(const std::filesystem::path& path, const std::string& column)
    : TokenStream(joined(read_text_documents(path, column))) {}

}  // namespace parity::reference
