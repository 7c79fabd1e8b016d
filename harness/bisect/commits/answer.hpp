// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/enum_names.hpp"
#include "harness/base/json/json.hpp"

namespace parity::bisect {

/// The outcome of building and running a commit.
enum class CommitState {
  measured,  ///< it trained and left traces
  passed,    ///< its command ended well, without a trace
  failed,    ///< its command failed (exit status 1 to 127, except 125)
  crashed,   ///< its run crashed or hung
  skipped,   ///< cannot be judged: no build, its run cannot start, or exit status 125
};

constexpr auto enum_names(CommitState) {
  return named<CommitState::skipped>("state of a commit",
                                     {"measured", "passed", "failed", "crashed", "skipped"});
}

/// The answer of a commit to a search.
struct CommitAnswer {
  CommitState state = CommitState::skipped;
  std::string reason;                                   ///< set unless measured or passed
  std::map<std::string, std::filesystem::path> traces;  ///< by arm; set if measured
  std::string program;                                  ///< hash of the built program; "" if not needed
  double seconds = 0;                                   ///< of build and run
  std::filesystem::path log;                            ///< of the failed step; empty if none failed

  bool has_arms(const std::vector<std::string>& arms) const;
  /// Returns the failure of a run without what changes between equal ones: "exit status 1: KeyError:
  /// 'x'" with each number of the message replaced by #.
  std::string failure() const;
};

/// Returns whether two answers are one state: both measured, both passed, both failed, or crashed alike.
/// Another exit status, or another error, is another crash.
/// \param by_failure  commands that failed are compared as crashes are
bool is_same_state(const CommitAnswer& a, const CommitAnswer& b, bool by_failure);

/// The answers to one question (same case, commands and settings), stored in a folder by the tree of the
/// commit. A search resumes with them after it was killed. A search that ended leaves none, since what its
/// runs read may change afterwards. Commits with equal trees share an answer.
class CommitAnswers {
 public:
  /// \param question  everything that an answer depends on, except the commit
  /// \param keep      false: drop earlier answers
  CommitAnswers(const std::filesystem::path& out, const Json& question, bool keep);

  /// Returns whether a search that was killed left answers.
  bool resumed() const { return resumed_; }
  /// Removes all answers.
  void forget();
  /// Marks the answers as those of a search that ended. The next search removes them.
  void end() const;
  /// Returns the folder of the traces and logs of a tree.
  std::filesystem::path folder(const std::string& tree) const { return folder_ / tree; }
  /// Returns the folder of this question, for files that belong to no tree.
  const std::filesystem::path& folder() const { return folder_; }
  /// Returns the answer of a tree, if it is stored and its traces exist.
  std::optional<CommitAnswer> find(const std::string& tree) const;
  /// Returns the answer of another tree whose build made the same program, if there is one.
  std::optional<CommitAnswer> find_program(const std::string& program) const;
  /// Stores an answer atomically, by a temporary file and a rename.
  void keep(const std::string& tree, const CommitAnswer& answer) const;

 private:
  std::filesystem::path folder_;
  Json question_;
  bool resumed_ = false;
};

}  // namespace parity::bisect
