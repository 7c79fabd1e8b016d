// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "reference/data/corpus.hpp"

namespace parity::reference {

/// Tokens repeated without end. Sequence i begins at token i S of the stream.
class TokenStream : public Corpus {
 public:
  /// \param tokens  at least one
  explicit TokenStream(std::vector<int64_t> tokens) : tokens_(std::move(tokens)) {}

  void read(int64_t index, std::span<int64_t> out) const override;
  int64_t size() const override { return static_cast<int64_t>(tokens_.size()); }

 private:
  std::vector<int64_t> tokens_;
};

}  // namespace parity::reference
