// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "harness/measure/tensor/content_hash.hpp"

namespace parity {

/// Returns a journal of one write with a correct digest, which anybody can make.
/// \param offset  [bytes] where its write begins
inline std::string forged_journal(uint64_t offset, const std::string& bytes) {
  const uint64_t header[2] = {offset, bytes.size()};
  std::string text = "parity.journal/1";
  text.append(reinterpret_cast<const char*>(header), sizeof header);
  text += bytes;
  measure::ContentHash hash;
  hash.add(text);
  return text + hash.hex();
}

}  // namespace parity
