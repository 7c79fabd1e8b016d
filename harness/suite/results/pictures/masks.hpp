// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/base/json/json.hpp"
#include "harness/results/pictures.hpp"
#include "harness/suite/cases/case.hpp"
#include "harness/suite/judge/evidence.hpp"

namespace parity::suite {

/// The attention mask of one row, as an arm recorded it. A query q attends to a key kv if kv <= q, both are
/// in one document, and kv is not before the query's first key.
struct MaskRow {
  std::span<const int64_t> documents;        ///< [S] document of each token; ids may differ between arms
  std::span<const int64_t> first_keys = {};  ///< [S] first key of each query; empty: no such limit

  size_t size() const { return documents.size(); }
  bool attends(size_t q, size_t kv) const {
    return kv <= q && documents[q] == documents[kv] &&
           (first_keys.empty() || static_cast<int64_t>(kv) >= first_keys[q]);
  }
};

/// Numbers of attending query-key pairs of one row under two masks.
struct MaskPairs {
  int64_t both = 0;
  int64_t only_first = 0;
  int64_t only_second = 0;

  bool same() const { return only_first == 0 && only_second == 0; }
};

MaskPairs count_pairs(const MaskRow& first, const MaskRow& second);

/// Returns the masks of a case: the reference arm's mask next to that of each other arm.
///
/// Uses the tensors `document_ids` (phase input) and, where other rules limit attention too, `first_keys`.
/// For a model with several masks, these are of its blocks with RoPE. Each pair of arms shows the first row
/// whose masks differ, or else the first row, cut to at most 96 tokens around the first differing query.
std::vector<results::MaskPicture> masks_of(const Case& source, const Evidence& evidence);

}  // namespace parity::suite
