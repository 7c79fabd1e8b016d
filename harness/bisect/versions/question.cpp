// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/versions/question.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/text/nearest.hpp"

namespace parity::bisect {
namespace {

bool uses_python(const suite::Arm& arm) {
  return std::ranges::any_of(
      arm.command, [](const std::string& word) { return word.find("{python}") != std::string::npos; });
}

/// Keeps the wanted arms, without checks and golden: the search compares traces itself.
void keep_arms(suite::Case& source, const std::vector<std::string>& arms) {
  std::erase_if(source.arms, [&](const suite::Arm& arm) { return !std::ranges::count(arms, arm.name); });
  source.checks.clear();
  source.check_places.clear();
  source.golden.arms.clear();
  source.reference = source.arms.front().name;
}

}  // namespace

void complete_question(VersionQuestion& question) {
  const suite::Case& source = question.source;
  std::vector<std::string> able, all;
  for (const suite::Arm& arm : source.arms) {
    all.push_back(arm.name);
    if (uses_python(arm))
      able.push_back(arm.name);
  }
  if (able.empty())
    throw UserError(
        fmt::format("cannot search versions with case {} (no arm starts Python as {{python}}); add [python] "
                    "with venv = \"FOLDER\", and start the commands with {{python}}",
                    source.name));
  if (!std::filesystem::exists(source.python.interpreter))
    throw UserError(fmt::format("cannot search versions with case {} (its Python is not there: {}){}",
                                source.name, source.python.interpreter.string(),
                                source.python.make.empty() ? "" : "; make it with: " + source.python.make),
                    ExitCode::missing);
  for (const std::string& arm : question.arms)
    if (!std::ranges::count(able, arm))
      throw UserError(
          std::ranges::count(all, arm)
              ? fmt::format("arm {} does not start Python as {{python}}, so no version reaches it", arm)
              : fmt::format("case {} has no arm {}{}", source.name, arm, suggestion(arm, able)));
  if (!(question.tolerance >= 0 && std::isfinite(question.tolerance)))
    throw UserError("invalid --tolerance (expected a relative distance of 0 or more); for example 1e-6");
  if (question.most < 2)
    throw UserError("invalid --most (the two ends are evaluated in any case); give 2 or more");
  if (!(question.install_timeout > 0))
    throw UserError("invalid --install-timeout (expected seconds above 0)");
  if (question.arms.empty())
    question.arms = able;
  keep_arms(question.source, question.arms);
}

}  // namespace parity::bisect
