// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/data/documents.hpp"

#include "reference/data/formats/stored_tokens.hpp"
#include "reference/data/order/epoch_order.hpp"
#include "reference/data/random.hpp"
#include "reference/data/text_corpus.hpp"
#include "reference/data/token_file.hpp"

namespace parity::reference {
namespace {

constexpr uint64_t length_purpose = 4;

std::vector<int64_t> marks_of(const DataConfig& data) {
  std::vector<int64_t> marks;
  for (const int64_t mark : {data.eos_id, data.newline_id})
    if (mark >= 0)
      marks.push_back(mark);
  return marks;
}

std::vector<std::vector<int64_t>> text_documents(const DataConfig& data) {
  std::vector<std::vector<int64_t>> documents = read_text_documents(data.path, data.column);
  if (data.newline_id >= 0)
    for (std::vector<int64_t>& document : documents)
      document.push_back(data.newline_id);
  return documents;
}

/// Returns the documents of a file, in another order in each pass with data.shuffle.
std::unique_ptr<Documents> listed_documents(const DataConfig& data,
                                            std::vector<std::vector<int64_t>> documents) {
  const auto count = static_cast<int64_t>(documents.size());
  auto listed = std::make_unique<ListedDocuments>(std::move(documents), data.path);
  if (!data.shuffle)
    return listed;
  return std::make_unique<ShuffledDocuments>(std::move(listed), count, data.seed);
}

}  // namespace

SyntheticDocuments::SyntheticDocuments(const DataConfig& data, int64_t vocab_size)
    : language_(data.seed, vocab_size, marks_of(data)),
      seed_(static_cast<uint64_t>(data.seed)),
      lengths_(static_cast<uint64_t>(2 * data.document_tokens - 3)),
      marks_(marks_of(data)) {}

std::vector<int64_t> SyntheticDocuments::document(int64_t index) const {
  IntegerStream random(seed_, length_purpose, static_cast<uint64_t>(index));
  std::vector<int64_t> tokens(2 + random.below(lengths_));
  language_.read(index, tokens);
  tokens.insert(tokens.end(), marks_.begin(), marks_.end());
  return tokens;
}

std::string SyntheticDocuments::name_of(int64_t index) const {
  return "synthetic document " + std::to_string(index);
}

std::vector<int64_t> ListedDocuments::document(int64_t index) const {
  return documents_[static_cast<size_t>(index) % documents_.size()];
}

std::string ListedDocuments::name_of(int64_t index) const {
  return "document " + std::to_string(static_cast<size_t>(index) % documents_.size() + 1) + " of " + file_;
}

std::unique_ptr<Documents> make_documents(const DataConfig& data, const DataLimits& limits) {
  if (data.source == DataSource::synthetic)
    return std::make_unique<SyntheticDocuments>(data, limits.vocab_size);
  if (data.source == DataSource::text)
    return listed_documents(data, text_documents(data));
  return listed_documents(data, format_of(data) == TokenFormat::toml
                                    ? read_token_documents(data, limits)
                                    : read_stored_documents(data, limits.vocab_size));
}

}  // namespace parity::reference
