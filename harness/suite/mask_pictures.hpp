// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/base/json.hpp"
#include "harness/suite/case.hpp"
#include "harness/suite/evidence.hpp"

namespace parity {

/// Query-key pairs (kv <= q, same document) of one row under two rules.
struct MaskPairs {
  int64_t both = 0;
  int64_t only_first = 0;
  int64_t only_second = 0;

  bool same() const { return only_first == 0 && only_second == 0; }
};

/// \param first_S, second_S  [S] document of each token; only which tokens share one counts, not its number
MaskPairs count_pairs(std::span<const int64_t> first_S, std::span<const int64_t> second_S);

/// `masks` of results.json: the document masks of the arms that recorded `document_ids` (phase input), the
/// reference beside each other arm. Of each pair of arms the first row where their masks differ is shown, cut
/// to at most 96 tokens around the first query that differs; without a difference the first row.
Json masks_of(const Case& source, const Evidence& evidence);

}  // namespace parity
