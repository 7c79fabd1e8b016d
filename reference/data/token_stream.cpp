// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/data/token_stream.hpp"

namespace parity::reference {

void TokenStream::read(int64_t index, std::span<int64_t> out) const {
  const size_t sequence_length = out.size() - 1;
  size_t position = static_cast<size_t>(index) * sequence_length % tokens_.size();
  for (int64_t& token : out) {
    token = tokens_[position];
    position = (position + 1) % tokens_.size();
  }
}

}  // namespace parity::reference
