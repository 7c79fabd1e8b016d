// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/json.hpp"
#include "harness/golden/golden_file.hpp"

namespace parity {

/// One golden that is not what it was in a git revision.
struct ReviewedGolden {
  std::string name;              ///< of its case
  std::optional<Golden> before;  ///< nothing: added since
  std::optional<Golden> after;   ///< nothing: removed since
};

/// The goldens of a git revision against those of the working tree.
struct GoldenReview {
  std::string revision;  ///< as it was asked for
  std::string commit;
  std::vector<ReviewedGolden> goldens;  ///< those whose bytes differ, by name
  size_t unchanged = 0;

  /// Whether every golden of both sides holds the same values.
  bool identical() const;
};

/// \param root   folder of the cases; goldens lie beside it
/// \param names  case names, globs over them, topics or case files; empty: all
/// \throws UserError if the revision is unknown, a name matches nothing, or a golden cannot be read
GoldenReview review_goldens(const std::string& revision, const std::filesystem::path& root,
                            const std::vector<std::string>& names);

/// Whether `word` is a revision of the repository that `root` lies in.
bool is_revision(const std::string& word, const std::filesystem::path& root);

/// As Markdown, a section a golden; and for machines.
std::string review_text(const GoldenReview& review);
Json review_json(const GoldenReview& review);

/// Writes the review as a results.json: a case an arm that changed, whose sides are the revision and the
/// working tree. So the ordinary report draws it.
void write_review_results(const GoldenReview& review, const Json& producer,
                          const std::vector<std::string>& command, const std::filesystem::path& file);

}  // namespace parity
