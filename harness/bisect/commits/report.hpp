// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/bisect/commits/search.hpp"
#include "harness/bisect/search_record.hpp"

namespace parity {

/// All that a search over commits found.
struct CommitFindings {
  Commit good, bad;
  CommitLine line;  ///< one element: no commit between changes anything
  bool ends_are_same = false;
  std::optional<ChangingCommit> ends;  ///< how the ends differ
  std::vector<std::string> arms;       ///< that differ between them
  LineSearch search;
  std::vector<ChangingCommit> culprits;  ///< each commit once, biggest first
  std::string golden;                    ///< what the good side's golden says; "" if nothing
  std::string git_command;               ///< of git bisect
  std::filesystem::path git_log;
  CommitEffort effort;
  std::map<std::string, CommitAnswer> answers;  ///< by commit
  std::vector<std::string> notes;
};

/// The findings as stages and a sentence.
SearchRecord report_commits(const CommitQuestion& question, const CommitFindings& found);

}  // namespace parity
