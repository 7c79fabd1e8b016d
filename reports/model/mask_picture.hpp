// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reports/model/json_node.hpp"

namespace parity::reports {

/// Which query-key pairs of one row attend, under one rule or two.
struct MaskPicture {
  int64_t step = 0;
  int64_t row = 0;
  int64_t first_token = 0;
  int64_t tokens = 0;                           ///< of the whole row
  std::vector<std::string> arms;                ///< one or two
  std::vector<std::vector<int64_t>> documents;  ///< arm -> [shown tokens] document of each
  /// arm -> [shown tokens] first key that each attends to, counted from the row's first; empty: documents
  /// decide
  std::vector<std::vector<int64_t>> first_keys;
  int64_t both = 0, only_first = 0, only_second = 0;

  bool same() const { return only_first == 0 && only_second == 0; }
};

/// Reads one entry of a case's `masks`. \throws UserError naming the field that is wrong
MaskPicture read_mask_picture(const JsonNode& node);

/// Returns "Update 1, row 2, tokens 0-95 of 256: 820 pairs attend in both, 14 only in eos, 0 only in
/// positions."
std::string mask_sentence(const MaskPicture& mask);

}  // namespace parity::reports
