// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/commits/probe.hpp"

#include <algorithm>
#include <chrono>
#include <sstream>

#include <fmt/format.h>

#include "harness/base/elapsed.hpp"
#include "harness/base/error.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/bisect/commits/shell_line.hpp"
#include "harness/suite/derived/extra_arms.hpp"
#include "harness/suite/plan/identity/content_hash.hpp"
#include "harness/trace/read/trace.hpp"

namespace parity::bisect {
namespace fs = std::filesystem;
namespace {

constexpr int cannot_be_tested = 125;  // exit status of a command, as for git bisect run
constexpr int by_signal = 128;         // from this exit status on, a signal ended the shell's command

std::string replace(std::string text, const std::string& from, const std::string& to) {
  if (const size_t at = text.find(from); at != std::string::npos)
    text.replace(at, from.size(), to);
  return text;
}

/// Returns ": LINE" with the most useful line of a log: the first with an error, or else the last. Build
/// tools print that they stop after the error.
std::string last_lines(const fs::path& log) {
  std::istringstream lines(tail_of(log, 500, uint64_t{64} << 10));
  std::string last;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("error:") != std::string::npos || line.find("Error:") != std::string::npos)
      return ": " + line;
    last = line;
  }
  return last.empty() ? "" : ": " + last;
}

/// Returns the name of an arm's folder below that of its commit. Names of arms are TOML keys, with any
/// characters.
std::string folder_name(const std::string& arm) {
  const bool plain = std::all_of(arm.begin(), arm.end(),
                                 [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-'; });
  return plain ? arm : suite::content_hash(arm).substr(0, 8);
}

/// Copies a run's trace, with those of its ranks, from a folder that will be reused or trimmed.
fs::path keep_trace(const fs::path& run, const fs::path& to) {
  fs::remove_all(to);
  fs::create_directories(to);
  for (const auto& entry : fs::directory_iterator(run)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("trace") || !name.ends_with(".h5"))
      continue;
    std::error_code error;
    fs::create_hard_link(entry.path(), to / name, error);
    if (error)
      fs::copy_file(entry.path(), to / name);
  }
  return to / "trace.h5";
}

/// Returns whether a failure says nothing about the commit's numbers, because the case cannot run at it.
bool cannot_be_asked(const suite::RunFailure& failure) {
  return !meaning_of(failure.kind).computed;
}

void skip(CommitAnswer& answer, const std::string& reason, const fs::path& log = {}) {
  answer.state = CommitState::skipped;
  answer.reason = reason;
  answer.log = log;
}

/// Takes the trace that a command left, if there is one.
void take_trace(const fs::path& file, CommitAnswer& answer) {
  try {
    const trace::Trace trace = trace::Trace::open(file);
    if (!trace.complete())
      answer.reason = "its trace is not complete";
    else if (trace.failure())
      answer.reason = "its trace reports a failure: " + escape_for_terminal(trace.failure()->dump());
    answer.state = answer.reason.empty() ? CommitState::measured : CommitState::crashed;
    answer.traces["run"] = file;
  } catch (const UserError& error) {
    answer.state = CommitState::crashed;
    answer.reason = "its trace cannot be read: " + replace(error.what(), file.string(), "trace.h5");
  }
}

}  // namespace

CommitProbe::CommitProbe(const CommitQuestion& question, const suite::Git& repository, Progress& progress)
    : question_(question),
      progress_(progress),
      answers_(question.folder(), question.identity(), question.keep_answers),
      worktree_(repository, question.folder() / "worktree") {}

fs::path CommitProbe::build_folder() const {
  return fs::absolute(question_.folder() / "build");
}

fs::path CommitProbe::trainer() const {
  const fs::path named = replace(replace(question_.trainer, "{worktree}", worktree_.folder().string()),
                                 "{build}", build_folder().string());
  return named.is_absolute() ? named : worktree_.folder() / named;
}

std::map<std::string, std::string> CommitProbe::environment(const Commit& commit) const {
  return {{"PARITY_WORKTREE", worktree_.folder().string()},
          {"PARITY_BUILD", build_folder().string()},
          {"PARITY_COMMIT", commit.id}};
}

CommitAnswer CommitProbe::ask(const Commit& commit) {
  const bool first = asked_.insert(commit.tree).second;
  if (auto known = answers_.find(commit.tree); known && known->has_arms(question_.wanted_arms())) {
    effort_.remembered += first ? 1 : 0;
    return *known;
  }
  const auto begin = std::chrono::steady_clock::now();
  CommitAnswer answer = evaluate(commit);
  answer.seconds = seconds_since(begin);
  effort_.seconds += answer.seconds;
  answers_.keep(commit.tree, answer);
  progress_.note(fmt::format("{}: {}{} ({})", commit.text(), name_of(answer.state),
                             answer.reason.empty() ? "" : ", " + answer.reason,
                             format_duration(answer.seconds)));
  return answer;
}

CommitAnswer CommitProbe::repeat(const Commit& commit) {
  repeating_ = true;
  const auto begin = std::chrono::steady_clock::now();
  const int64_t runs = effort_.runs;
  CommitAnswer answer = evaluate(commit);
  effort_.seconds += seconds_since(begin);
  effort_.repeats += effort_.runs - runs;
  effort_.runs = runs;
  repeating_ = false;
  return answer;
}

void CommitProbe::forget() {
  answers_.forget();
  asked_.clear();
}

/// Returns the folder of a commit's traces and logs. A repeat leaves the first ones in place.
fs::path CommitProbe::place(const Commit& commit) const {
  return repeating_ ? answers_.folder(commit.tree) / "again" : answers_.folder(commit.tree);
}

CommitAnswer CommitProbe::evaluate(const Commit& commit) {
  CommitAnswer answer;
  worktree_.check_out(commit.id);
  fs::create_directories(build_folder());
  if (!build(commit, answer) || take_from_program(answer))
    return answer;
  if (question_.source)
    run_case(commit, answer);
  else
    run_command(commit, answer);
  return answer;
}

/// Builds a commit. \return whether there is something to run
bool CommitProbe::build(const Commit& commit, CommitAnswer& answer) {
  const fs::path log = place(commit) / "build.log";
  if (!question_.build.empty()) {
    ++effort_.builds;
    const ShellEnd end = run_shell_line(
        {question_.build, worktree_.folder(), environment(commit), log, question_.build_timeout},
        commit.short_id() + " is built", progress_);
    if (!end.succeeded()) {
      skip(answer, "does not build, " + end.text() + last_lines(log), log);
      return false;
    }
  }
  if (!question_.trainer.empty() && !fs::is_regular_file(trainer())) {
    skip(answer, "has no " + question_.trainer + (question_.build.empty() ? "" : " after its build"));
    return false;
  }
  return true;
}

/// Takes the answer of another commit whose build made the same program. \return whether there is one
bool CommitProbe::take_from_program(CommitAnswer& answer) {
  if (question_.trainer.empty() || repeating_)
    return false;
  answer.program = suite::ContentHashes(question_.folder() / "content_hashes.json").of_program(trainer());
  const auto same = answers_.find_program(answer.program);
  if (!same || !same->has_arms(question_.wanted_arms()))
    return false;
  ++effort_.remembered;
  answer = *same;
  return true;
}

void CommitProbe::run_case(const Commit& commit, CommitAnswer& answer) {
  suite::RunSettings options = question_.suite;
  options.out = question_.folder() / "suite";
  options.use_cache = options.use_cache && !repeating_;
  options.trainer = question_.trainer.empty() ? worktree_.folder() / "parity-train" : trainer();
  try {
    const suite::ArmRuns done = run_arms(case_at(question_, worktree_.folder()), options, progress_);
    answer.state = CommitState::measured;
    for (const auto& [id, result] : done.runs)
      ++(result.cached ? effort_.remembered : effort_.runs);
    for (const suite::PlannedArm& arm : done.planned.arms) {
      const suite::RunResult& result = done.runs.at(arm.run);
      if (result.failure) {
        answer.state = cannot_be_asked(*result.failure) ? CommitState::skipped : CommitState::crashed;
        answer.reason = result.failure->message;
        answer.log = result.log;
        answer.traces.clear();
        return;
      }
      answer.traces[arm.name] = keep_trace(result.folder, place(commit) / folder_name(arm.name));
    }
  } catch (const UserError& error) {
    if (error.code() == ExitCode::interrupted)
      throw;
    skip(answer, std::string("cannot run the case: ") + error.what());
  }
}

void CommitProbe::run_command(const Commit& commit, CommitAnswer& answer) {
  const fs::path folder = place(commit) / "run";
  fs::remove_all(folder);
  fs::create_directories(folder);
  auto variables = environment(commit);
  variables["PARITY_TRACE"] = (folder / "trace.h5").string();
  const fs::path log = place(commit) / "run.log";
  ++effort_.runs;
  const ShellEnd end =
      run_shell_line({question_.run, worktree_.folder(), variables, log, question_.run_timeout},
                     commit.short_id() + " runs", progress_);
  const int status = end.status ? end.status->exit_status().value_or(by_signal) : by_signal;
  if (status == cannot_be_tested)
    return skip(answer, "its command reports that it cannot be tested (exit status 125)" + last_lines(log),
                log);
  if (status == 0) {
    answer.state = CommitState::passed;
    if (fs::exists(folder / "trace.h5"))
      take_trace(folder / "trace.h5", answer);
    return;
  }
  answer.state = status < by_signal ? CommitState::failed : CommitState::crashed;
  answer.reason = end.text() + last_lines(log);
  answer.log = log;
}

}  // namespace parity::bisect
