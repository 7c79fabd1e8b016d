// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/enum_names.hpp"
#include "harness/base/json.hpp"

namespace parity {

/// What a commit did when it was asked.
enum class CommitState {
  measured,  ///< trained, and left traces
  passed,    ///< its command ended well, without a trace
  failed,    ///< its command said no (exit status 1 to 127 without 125)
  crashed,   ///< its run crashed or hung
  skipped,   ///< cannot be judged: it does not build, its run cannot start, its command said 125
};

template <>
struct EnumNames<CommitState> {
  static constexpr std::string_view what = "state of a commit";
  static constexpr std::array<std::string_view, 5> names = {"measured", "passed", "failed", "crashed",
                                                            "skipped"};
};
static_assert(EnumNames<CommitState>::names.size() == static_cast<size_t>(CommitState::skipped) + 1);

/// What is known of a commit.
struct CommitAnswer {
  CommitState state = CommitState::skipped;
  std::string reason;                                   ///< of any other than measured and passed
  std::map<std::string, std::filesystem::path> traces;  ///< by arm; of measured ones
  std::string program;                                  ///< hash of what the build made; "" if not asked for
  double seconds = 0;                                   ///< build and run
  std::filesystem::path log;                            ///< of what failed; empty if nothing

  bool has_arms(const std::vector<std::string>& arms) const;
};

/// Answers of one question (same case, commands and settings), kept in a folder by the tree of the commit: a
/// search that was killed goes on with them, and commits with equal trees share one.
class CommitAnswers {
 public:
  /// \param question  everything that an answer depends on beside the commit
  /// \param keep      false: what was answered before is dropped
  CommitAnswers(const std::filesystem::path& out, const Json& question, bool keep);

  /// Where traces and logs of a tree lie.
  std::filesystem::path folder(const std::string& tree) const { return folder_ / tree; }
  /// Of this question, for what belongs to no tree.
  const std::filesystem::path& folder() const { return folder_; }
  /// The answer, if it is there with its traces.
  std::optional<CommitAnswer> find(const std::string& tree) const;
  /// The answer of another tree whose build made the same program.
  std::optional<CommitAnswer> find_program(const std::string& program) const;
  /// Written by a temporary file and a rename: there whole, or not.
  void keep(const std::string& tree, const CommitAnswer& answer) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace parity
