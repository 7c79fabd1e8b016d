// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "reference/data/rows.hpp"
#include "reference/data/synthetic_corpus.hpp"

namespace parity::reference {

/// An endless supply of documents, each with its marks (begin, EOS, newline) and at least two tokens long.
class Documents {
 public:
  virtual ~Documents() = default;

  virtual std::vector<int64_t> document(int64_t index) const = 0;
  /// Returns the name of a document for messages: "document 3 of tokens.npy".
  virtual std::string name_of(int64_t index) const = 0;
};

/// Documents of the synthetic language. Lengths without marks are uniform in 2 .. 2 (m - 1), mean m; the
/// marks occur nowhere else.
class SyntheticDocuments : public Documents {
 public:
  SyntheticDocuments(const DataConfig& data, int64_t vocab_size);

  std::vector<int64_t> document(int64_t index) const override;
  std::string name_of(int64_t index) const override;

 private:
  SyntheticCorpus language_;
  uint64_t seed_;
  uint64_t lengths_;            ///< how many different lengths there are
  std::vector<int64_t> marks_;  ///< at the end of each
};

/// A fixed list of documents, repeated without end: those of a file.
class ListedDocuments : public Documents {
 public:
  ListedDocuments(std::vector<std::vector<int64_t>> documents, std::string file)
      : documents_(std::move(documents)), file_(std::move(file)) {}

  std::vector<int64_t> document(int64_t index) const override;
  std::string name_of(int64_t index) const override;

 private:
  std::vector<std::vector<int64_t>> documents_;
  std::string file_;
};

/// Returns the documents that a config names. \throws UserError naming file and place
std::unique_ptr<Documents> make_documents(const DataConfig& data, const DataLimits& limits);

}  // namespace parity::reference
