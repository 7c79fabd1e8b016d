// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/plan/command_words.hpp"

#include <filesystem>

#include "harness/suite/plan/identity/own_programs.hpp"

namespace parity::suite {
namespace fs = std::filesystem;
namespace {

/// Returns the repository that contains a case (by its folder or file .git), or else the case's own folder.
fs::path repository_around(const fs::path& folder) {
  for (fs::path each = folder; each.has_relative_path(); each = each.parent_path())
    if (fs::exists(each / ".git"))
      return each;
  return folder;
}

}  // namespace

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

std::vector<std::string> expand_case_words(const PlannedRun& run) {
  std::vector<std::string> argv = run.command;
  for (std::string& word : argv) {
    replace_all(word, "{steps}", std::to_string(run.steps));
    replace_all(word, "{dtype}", run.dtype);
    replace_all(word, "{python}", run.python.interpreter.string());
    for (const char* program : {"parity-operator", "parity-exact"})
      if (run.is_operator)
        replace_all(word, std::string("{") + program + "}", own_program(program).string());
    replace_all(word, "{case_dir}", run.case_folder.string());
    replace_all(word, "{worktree}", repository_around(run.case_folder).string());
  }
  return argv;
}

}  // namespace parity::suite
