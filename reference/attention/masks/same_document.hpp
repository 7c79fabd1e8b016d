// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace parity::reference {

/// Allows a query and a key of one document: id[b, q] == id[b, kv].
struct SameDocument {
  std::shared_ptr<const std::vector<int64_t>> ids_BS;
  int64_t seq_len = 0;

  bool operator()(int64_t b, int64_t q, int64_t kv) const {
    const int64_t* row = ids_BS->data() + b * seq_len;
    return row[q] == row[kv];
  }
};

}  // namespace parity::reference
