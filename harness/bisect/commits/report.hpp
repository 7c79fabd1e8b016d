// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/bisect/commits/repeats.hpp"
#include "harness/bisect/commits/search.hpp"
#include "harness/bisect/search_record.hpp"

namespace parity::bisect {

/// The findings of a search over commits.
struct CommitFindings {
  Commit good, bad;
  CommitLine line;  ///< one element: no commit between changes anything
  bool ends_are_same = false;
  std::optional<ChangingCommit> ends;  ///< the difference between the two ends
  std::vector<std::string> arms;       ///< arms that differ between the ends
  LineSearch search;
  std::vector<ChangingCommit> causes;  ///< each commit once, largest change first
  std::string golden;                  ///< comparison of the good commit with its golden; "" if none
  std::string git_command;  ///< answer of git bisect from the same verdicts; "" if they do not suffice
  std::filesystem::path git_log;
  CommitRepeats repeats;
  CommitEffort effort;
  std::map<std::string, CommitAnswer> answers;  ///< by commit
  std::vector<std::string> notes;
};

/// Returns the findings as a record with stages and a sentence.
SearchRecord report_commits(const CommitQuestion& question, const CommitFindings& found);

}  // namespace parity::bisect
