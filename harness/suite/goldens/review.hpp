// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/json/json.hpp"
#include "harness/golden/golden_file.hpp"

namespace parity::suite {

/// A golden that changed since a git revision.
struct ReviewedGolden {
  std::string name;                      ///< of its case
  std::optional<golden::Golden> before;  ///< not set: the golden is new
  std::optional<golden::Golden> after;   ///< not set: the golden was removed
};

/// The differences between the goldens of a git revision and those of the working tree.
struct GoldenReview {
  std::string revision;  ///< as given by the user
  std::string commit;
  std::vector<ReviewedGolden> goldens;  ///< those whose bytes differ, by name
  size_t unchanged = 0;

  /// Returns whether the revision and the working tree have the same values in every golden.
  bool identical() const;
};

/// Compares the goldens of a git revision with those of the working tree.
/// \param root   folder of the cases; the goldens are next to it
/// \param names  case names, globs over them, topics or case files; empty: all
/// \throws UserError if the revision is unknown, a name matches nothing, or a golden cannot be read
GoldenReview review_goldens(const std::string& revision, const std::filesystem::path& root,
                            const std::vector<std::string>& names);

/// Returns whether `word` is a revision of the repository that contains `root`.
bool is_revision(const std::string& word, const std::filesystem::path& root);

/// Return the review as Markdown, one section for each golden, and as JSON.
std::string review_text(const GoldenReview& review);
Json review_json(const GoldenReview& review);

/// Writes the review as a results.json, so that the ordinary report can show it. Each changed arm becomes a
/// case whose arms are the revision and the working tree.
void write_review_results(const GoldenReview& review, const Json& producer,
                          const std::vector<std::string>& command, const std::filesystem::path& file);

}  // namespace parity::suite
