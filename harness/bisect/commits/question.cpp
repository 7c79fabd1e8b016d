// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/commits/question.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/processes/process.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/suite/cases/named_case.hpp"
#include "harness/suite/goldens/stored_power.hpp"

namespace parity::bisect {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view worktree_word = "{worktree}";
constexpr std::string_view trace_word = "{trace:";

bool mentions(const suite::Arm& arm, std::string_view word) {
  return std::any_of(arm.command.begin(), arm.command.end(),
                     [&](const std::string& each) { return each.find(word) != std::string::npos; });
}

/// Returns whether the commit decides what the arm computes.
bool depends_on_commit(const suite::Arm& arm) {
  return !arm.is_command() || mentions(arm, worktree_word) || mentions(arm, trace_word);
}

std::vector<std::string> arm_names(const suite::Case& source) {
  std::vector<std::string> names;
  for (const suite::Arm& arm : source.arms)
    names.push_back(arm.name);
  return names;
}

void check_arms(const CommitQuestion& question) {
  const suite::Case& source = *question.source;
  for (const std::string& arm : question.arms)
    require_arm(source, arm);
  for (const std::string& name : question.wanted_arms())
    if (depends_on_commit(source.arm(name)))
      return;
  throw UserError(
      fmt::format("cannot search with case {} (no command names {{worktree}}, so every commit would run the "
                  "same program); write paths of the repository as {{worktree}}/... (a run of the suite puts "
                  "the repository's own folder there)",
                  escape_to_line(source.name)));
}

bool runs_trainer(const CommitQuestion& question) {
  const std::vector<std::string> wanted = question.wanted_arms();
  return std::any_of(wanted.begin(), wanted.end(),
                     [&](const std::string& arm) { return !question.source->arm(arm).is_command(); });
}

/// Sets the build of parity-train from this project's sources. The preset's folder is in the work tree, where
/// ccache can use results of other checkouts.
void build_own_sources(CommitQuestion& question, const suite::Git& git) {
  const fs::path venv = fs::path(git.output({"rev-parse", "--show-toplevel"})) / "build" / "venv";
  const std::string installed = fs::exists(venv) ? " -DPARITY_BOOTSTRAP=OFF -DPARITY_VENV=" +
                                                       shell_quote({fs::canonical(venv).string()})
                                                 : "";
  question.build = "cmake --preset release" + installed +
                   " && cmake --build build/release --target parity-train --parallel " +
                   std::to_string(question.suite.jobs);
  question.trainer = "build/release/bin/parity-train";
}

}  // namespace

std::vector<std::string> CommitQuestion::wanted_arms() const {
  if (!source)
    return {"run"};
  if (arms.empty())
    return arm_names(*source);
  std::set<std::string> wanted(arms.begin(), arms.end());
  for (const std::string& name : arms)
    for (const suite::Arm& other : source->arms)
      if (mentions(source->arm(name), std::string(trace_word) + other.name + "}"))
        wanted.insert(other.name);
  return {wanted.begin(), wanted.end()};
}

Json CommitQuestion::identity() const {
  Json identity = {{"build", build}, {"trainer", trainer}};
  if (source)
    identity.update({{"case", source->name}, {"case_digest", case_digest(*source)}});
  else
    identity["run"] = run;
  return identity;
}

void complete_question(CommitQuestion& question, const suite::Git& git) {
  if (question.source.has_value() == !question.run.empty())
    throw UserError(
        question.source
            ? "cannot use --case together with --run (both say how to test a commit); give one of them"
            : "cannot search commits (no test is given); say what to run with --case CASE or "
              "--run 'COMMAND'");
  if (!(question.tolerance >= 0))
    throw UserError(fmt::format("invalid --tolerance {} (expected a relative difference of 0 or more)",
                                question.tolerance));
  if (!(question.run_timeout > 0) || !(question.build_timeout > 0))
    throw UserError("invalid time limit (expected more than 0 seconds)");
  if (question.most < 3)
    throw UserError(fmt::format(
        "invalid --most {} (expected 3 or more: both sides and one commit between them)", question.most));
  if (!question.source)
    return;
  check_arms(question);
  if (!runs_trainer(question) || !question.trainer.empty())
    return;
  if (!question.build.empty() || !git.succeeds({"cat-file", "-e", question.bad + ":reference/main.cpp"}) ||
      !git.succeeds({"cat-file", "-e", question.bad + ":CMakePresets.json"}))
    throw UserError(
        fmt::format("cannot search with case {} (it runs parity-train, which each commit must build); name "
                    "the program with --trainer PATH, and how to build it with --build 'COMMAND'",
                    escape_to_line(question.source->name)));
  build_own_sources(question, git);
}

suite::Case case_at(const CommitQuestion& question, const fs::path& worktree) {
  suite::Case source = *question.source;
  const std::vector<std::string> wanted = question.wanted_arms();
  std::erase_if(source.arms, [&](const suite::Arm& arm) {
    return std::find(wanted.begin(), wanted.end(), arm.name) == wanted.end();
  });
  source.checks.clear();
  source.check_places.clear();
  source.capture = {};
  source.golden.arms = wanted;  // so that runs record what a golden holds, by which commits are compared
  source.reference = wanted.front();
  for (suite::Arm& arm : source.arms) {
    arm.inputs.clear();  // inputs do not include the commit, so the cache must not answer
    for (std::string& word : arm.command)
      for (size_t at = word.find(worktree_word); at != std::string::npos;
           at = word.find(worktree_word, at + worktree.string().size()))
        word.replace(at, worktree_word.size(), worktree.string());
  }
  return source;
}

}  // namespace parity::bisect
