// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/attention/masks/eos_documents.hpp"

namespace parity::reference {

std::vector<int64_t> eos_documents(std::span<const int64_t> tokens_S, int64_t eos_id) {
  std::vector<int64_t> ids;
  ids.reserve(tokens_S.size());
  int64_t seen = 0;
  for (const int64_t token : tokens_S) {
    ids.push_back(seen);
    seen += token == eos_id ? 1 : 0;
  }
  return ids;
}

}  // namespace parity::reference
