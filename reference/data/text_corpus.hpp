// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "reference/data/corpus.hpp"

namespace parity::reference {

/// One UTF-8 file as one document, repeated without end. Sequence i begins at token i S of the stream.
class TextCorpus : public Corpus {
 public:
  /// \throws UserError if the file is missing (exit 3), empty, or not UTF-8 (naming the byte offset)
  explicit TextCorpus(const std::filesystem::path& path);

  void read(int64_t index, std::span<int64_t> out) const override;

 private:
  std::vector<int64_t> document_;
};

}  // namespace parity::reference
