// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/base/json.hpp"
#include "harness/suite/cases/case.hpp"
#include "harness/suite/judge/evidence.hpp"

namespace parity {

/// What an arm recorded of one row's mask: a pair attends if kv <= q, both are of one document, and kv is not
/// before the query's first key.
struct MaskRow {
  std::span<const int64_t> documents;        ///< [S]; only which tokens share one counts, not its number
  std::span<const int64_t> first_keys = {};  ///< [S]; empty: documents alone decide

  size_t size() const { return documents.size(); }
  bool attends(size_t q, size_t kv) const {
    return kv <= q && documents[q] == documents[kv] &&
           (first_keys.empty() || static_cast<int64_t>(kv) >= first_keys[q]);
  }
};

/// Query-key pairs of one row under two rules.
struct MaskPairs {
  int64_t both = 0;
  int64_t only_first = 0;
  int64_t only_second = 0;

  bool same() const { return only_first == 0 && only_second == 0; }
};

MaskPairs count_pairs(const MaskRow& first, const MaskRow& second);

/// `masks` of results.json: the masks of the arms that recorded `document_ids` (phase input), and
/// `first_keys` where other rules limit attention too (of a model with several masks those of its blocks with
/// RoPE), the reference beside each other arm. Of each pair of arms the first row where their masks differ is
/// shown, cut to at most 96 tokens around the first query that differs; without a difference the first row.
Json masks_of(const Case& source, const Evidence& evidence);

}  // namespace parity
