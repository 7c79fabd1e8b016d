// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/versions/shadowed.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/suite/plan/command_words.hpp"

namespace parity::bisect {
namespace fs = std::filesystem;
namespace {

/// Returns the folder from which a Python command imports first: that of its script, or the working folder.
/// Nothing if the command does not start with an interpreter.
std::optional<fs::path> first_import_folder(const suite::Case& source, const suite::Arm& arm,
                                            const fs::path& python) {
  if (arm.command.empty() || arm.command.front() != "{python}")
    return std::nullopt;
  suite::PlannedRun run;
  run.command = arm.command;
  run.python.interpreter = python;
  run.case_folder = fs::absolute(source.file).parent_path();
  const std::vector<std::string> words = suite::expand_case_words(run);
  for (size_t i = 1; i < words.size() && words[i] != "-c" && words[i] != "-m"; ++i)
    if (!words[i].starts_with('-') && words[i].ends_with(".py"))
      return fs::weakly_canonical(words[i]).parent_path();
  return fs::current_path();
}

}  // namespace

std::vector<std::string> require_installed_imports(const VersionQuestion& question, const Pins& pins,
                                                   const std::vector<std::string>& packages,
                                                   Environments& environments) {
  std::vector<std::string> unasked;
  for (const suite::Arm& arm : question.source.arms) {
    if (std::ranges::find(question.arms, arm.name) == question.arms.end())
      continue;
    const auto first = first_import_folder(question.source, arm, environments.with(pins).python);
    if (!first) {
      unasked.push_back(arm.name);
      continue;
    }
    for (const auto& [package, copy] : environments.copies(pins, packages, {*first, arm.environment}))
      throw UserError(
          fmt::format("cannot compare versions of {} (arm {} imports {}, which hides the installed {}); move "
                      "this copy away, or take its folder out of PYTHONPATH",
                      package, arm.name, copy, package),
          ExitCode::missing);
  }
  return unasked;
}

}  // namespace parity::bisect
