// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "harness/golden/content.hpp"
#include "harness/golden/golden.hpp"

namespace parity {

/// A golden as a file holds it (schema parity.golden/1.0):
///
///     /                      attributes schema, case, producer, commit, command, content (digest of what
///     follows) /arms/<arm>            attributes config, fingerprint (JSON) /arms/<arm>/steps      int64[n]
///     /arms/<arm>/channels/<name>   float64[n] or int64[n]
///     /arms/<arm>/sketches   columns as in a trace (harness/trace/FORMAT.md)
///     /arms/<arm>/twin       steps and channels of the float64 twin
struct Golden {
  GoldenOrigin origin;
  std::string stored_digest;  ///< as the file says
  GoldenContent arms;

  bool intact() const { return content_digest(arms) == stored_digest; }
};

/// \throws UserError if the file is missing (exit 3), damaged, foreign, or of another major schema
Golden read_golden(const std::filesystem::path& file);

/// Through a temporary file and a rename; equal goldens give equal bytes. The content digest is computed
/// here.
void write_golden(const std::filesystem::path& file, const Golden& golden);

}  // namespace parity
