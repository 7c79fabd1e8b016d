// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/commits/worktree.hpp"

#include <sstream>

#include "harness/base/error.hpp"

namespace parity::bisect {
namespace fs = std::filesystem;
namespace {

/// Returns whether git bisect printed its end: the commit, or that it has only skipped ones left.
bool is_answer(const std::string& words) {
  return words.find("is the first bad commit") != std::string::npos ||
         words.find("only 'skip'ped commits left") != std::string::npos;
}

}  // namespace

CommitWorktree::CommitWorktree(const suite::Git& repository, const fs::path& folder)
    : repository_(repository), folder_(fs::weakly_canonical(fs::absolute(folder))) {
  remove();
}

CommitWorktree::~CommitWorktree() {
  try {
    git_.reset();
    remove();
  } catch (const std::exception&) {
    return;  // the next search removes it
  }
}

/// Removes the work tree, even if only git's record of it exists, or a killed git left it locked.
void CommitWorktree::remove() const {
  const bool listed = ("\n" + repository_.output({"worktree", "list", "--porcelain"}) + "\n")
                          .find("\nworktree " + folder_.string() + "\n") != std::string::npos;
  if (listed && !repository_.succeeds({"worktree", "remove", "--force", "--force", folder_.string()})) {
    fs::remove_all(folder_);
    repository_.succeeds({"worktree", "unlock", folder_.string()});
    repository_.output({"worktree", "prune"});
  }
  fs::remove_all(folder_);
}

void CommitWorktree::make(const std::string& commit) {
  if (git_)
    return;
  fs::create_directories(folder_.parent_path());
  repository_.output({"worktree", "add", "--quiet", "--detach", "--no-checkout", folder_.string(), commit});
  git_ = std::make_unique<suite::Git>(folder_);
}

void CommitWorktree::check_out(const std::string& commit) {
  make(commit);
  git_->output({"checkout", "--quiet", "--force", "--detach", commit, "--"});
  git_->output({"clean", "-ffdq"});
}

CommitWorktree::Bisected CommitWorktree::bisect(const std::string& good, const std::string& bad,
                                                const std::vector<std::string>& verdicts) {
  make(good);
  std::string words = git_->output({"bisect", "start", "--no-checkout", "--first-parent", bad, good});
  for (const std::string& verdict : verdicts) {
    const size_t space = verdict.find(' ');
    // git fails if only skipped commits remain, and reports that on stdout.
    words = git_->output_or_empty({"bisect", verdict.substr(0, space), verdict.substr(space + 1)});
    if (is_answer(words))
      break;  // a further verdict would start it again
  }
  Bisected found{is_answer(words) ? words.substr(0, words.find('\n')) : "",
                 git_->output({"bisect", "log"}) + "\n"};
  git_->output({"bisect", "reset"});
  return found;
}

}  // namespace parity::bisect
