// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/base/error.hpp"
#include "reference/data/formats/json_lines.hpp"
#include "tests/fuzz/memory_file.hpp"
#include "tests/fuzz/targets.hpp"

namespace parity::fuzz {
namespace {

void read_tokens(const MemoryFile& file, size_t bytes) {
  try {
    const reference::StoredTokens stored = reference::read_json_lines_tokens(file.path(), "");
    require(stored.tokens.size() <= bytes, "more tokens than bytes");
    require(stored.ends.empty() || stored.ends.back() == stored.tokens.size(), "tokens of no document");
  } catch (const UserError&) {
    return;
  }
}

void read_texts(const MemoryFile& file, size_t bytes) {
  try {
    require(reference::read_json_lines_texts(file.path(), "").size() <= bytes, "more texts than bytes");
  } catch (const UserError&) {
    return;
  }
}

}  // namespace

void read_json_lines_file(std::string_view bytes) {
  const MemoryFile file(bytes);
  read_tokens(file, bytes.size());
  read_texts(file, bytes.size());
}

}  // namespace parity::fuzz
