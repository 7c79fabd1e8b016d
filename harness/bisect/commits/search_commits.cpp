// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/commits/search_commits.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/base/files/folder_lock.hpp"
#include "harness/base/processes/process.hpp"
#include "harness/base/processes/signals.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/bisect/commits/good_golden.hpp"
#include "harness/bisect/commits/orphan_reaper.hpp"
#include "harness/bisect/commits/report.hpp"
#include "harness/bisect/commits/search.hpp"
#include "harness/compare/text/wording.hpp"
#include "harness/suite/runs/cache.hpp"
#include "harness/suite/runs/store.hpp"

namespace parity {
namespace fs = std::filesystem;
namespace {

/// One search from the revisions to the record.
class Session {
 public:
  Session(CommitQuestion& question, const Git& git, Progress& progress)
      : question_(question),
        git_(git),
        history_(git),
        probe_(question, git, progress),
        search_(question, history_, probe_) {}

  CommitFindings run() {
    found_.good = history_.commit(question_.good);
    found_.bad = history_.commit(question_.bad);
    found_.line = history_.line(found_.good, found_.bad, question_.paths);
    if (history_.has_uncommitted_changes())
      note("the work tree has uncommitted changes; they belong to no commit, and were not looked at");
    if (found_.line.size() > 1) {
      judge_ends();
      if (search_.distance(start(), end()) > question_.tolerance)
        search();
      else
        found_.ends_are_same = true;
    }
    finish();
    return std::move(found_);
  }

 private:
  const Commit& start() const { return found_.line.front(); }
  const Commit& end() const { return found_.line.back(); }
  void note(const std::string& text) { found_.notes.push_back(text); }

  void judge_ends() {
    judge_good();
    if (start().tree != found_.good.tree)
      judge_fork();
    const CommitAnswer& bad = search_.answer(end());
    if (bad.state == CommitState::skipped)
      throw UserError("the bad side, " + end().text() + ", cannot be judged (" + bad.reason + ")" +
                      log_command(bad) + "; give one that can");
    const CommitState good = search_.answer(start()).state;
    if (std::set{good, bad.state} == std::set{CommitState::passed, CommitState::measured})
      throw UserError(
          "one side left a trace and the other did not; let the command write one to $PARITY_TRACE on "
          "both, or on none, to be judged by its exit status");
    if (question_.use_golden && golden_stands_ && !golden_word(end()).same_environment)
      throw UserError(
          "the golden of " + found_.good.text() +
          " comes from another environment than this, so that it cannot stand for that commit, which "
          "cannot be judged (" +
          good_reason_ + "); give a good side that builds here");
  }

  static std::string log_command(const CommitAnswer& answer) {
    return answer.log.empty() ? "" : "; its log: " + escape_for_terminal(path_from_here(answer.log));
  }

  void judge_good() {
    const CommitAnswer good = search_.answer(found_.good);
    if (question_.source && question_.use_golden)
      golden_ = read_good_golden(git_, found_.good, *question_.source, question_.wanted_arms(),
                                 probe_.answers().folder() / "golden");
    if (good.state == CommitState::skipped && !golden_.traces.empty())
      return use_golden_as_good_side(good);
    if (good.state == CommitState::skipped || good.state == CommitState::crashed)
      throw UserError("the good side, " + found_.good.text() + ", cannot be judged (" + good.reason + ")" +
                          log_command(good) + "; give one that can",
                      good.state == CommitState::crashed ? ExitCode::crashed : ExitCode::bad_input);
    if (good.state == CommitState::failed)
      throw UserError("the good side, " + found_.good.text() + ", is bad already (" + good.reason +
                      "); give an earlier one");
    if (question_.source && question_.use_golden)
      check_against_golden(good);
  }

  void use_golden_as_good_side(const CommitAnswer& good) {
    CommitAnswer stand_in;
    stand_in.state = CommitState::measured;
    stand_in.traces = golden_.traces;
    good_reason_ = good.reason;
    golden_stands_ = true;
    search_.set_answer(found_.good, stand_in);
    std::vector<std::string> arms;
    for (const auto& [arm, trace] : golden_.traces)
      arms.push_back(arm);
    question_.arms = arms;
    note("the good side cannot be judged here (" + good.reason +
         "); its golden stands for it, with its channels");
  }

  GoldenWord golden_word(const Commit& commit) {
    return compare_with_golden(golden_, search_.answer(commit), question_.channels);
  }

  void check_against_golden(const CommitAnswer& good) {
    if (!golden_.problem.empty())
      return note(golden_.problem + "; its own run is what the others are held against");
    const GoldenWord word = compare_with_golden(golden_, good, question_.channels);
    if (!word.first || !(word.first->size > question_.tolerance)) {
      found_.golden = "the good side's golden agrees with its run";
      return;
    }
    const std::string difference = escape_to_line(word.arm) + " has " + word.first->text();
    if (word.same_environment)
      throw UserError("the good side, " + found_.good.text() + ", is bad already: against its golden, " +
                      difference + "; give an earlier one, or take its run for the truth with --no-golden");
    note("the good side's golden comes from another environment and differs (" + difference +
         "); its own run is what the others are held against");
  }

  /// Judges the commit where the good side branched off the bad side's line.
  void judge_fork() {
    const CommitAnswer fork = search_.answer(start());
    const CommitState good = search_.answer(found_.good).state;
    if (fork.state == good && !(search_.distance(found_.good, start()) > question_.tolerance))
      return note(found_.good.text() + " does not lie on the first-parent line of " + found_.bad.text() +
                  "; the search begins where it left it, at " + start().text() + ", which is as good");
    const std::string why = fork.state == good ? "moves " + search_.between(start(), found_.good).text()
                                               : std::string(name_of(fork.state)) + ", " + fork.reason;
    throw UserError(found_.good.text() + " does not lie on the first-parent line of " + found_.bad.text() +
                    ", and where it left it, at " + start().text() +
                    ", the numbers are others than its own (" + why +
                    "); what moved them lies on the good side's own line: parity bisect commits " +
                    start().short_id() + " " + found_.good.short_id());
  }

  void search() {
    const ChangingCommit ends = search_.between(start(), end());
    found_.ends = ends;
    if (search_.answer(end()).state == CommitState::measured)
      question_.arms = search_.differing_arms(start(), end());
    found_.arms = question_.wanted_arms();
    found_.search = search_.along(found_.line);
    for (const ChangingCommit& culprit : found_.search.culprits)
      if (std::none_of(found_.culprits.begin(), found_.culprits.end(),
                       [&](const ChangingCommit& known) { return known.after.id == culprit.after.id; }))
        found_.culprits.push_back(culprit);
    confirm_with_git_bisect();
  }

  /// Gives git bisect the same verdicts about the largest change. This checks the result and makes a log,
  /// with which a user can continue.
  void confirm_with_git_bisect() {
    const RevisionStep& step = found_.search.steps.steps.front();
    std::vector<std::string> verdicts;
    for (const size_t i : found_.search.steps.evaluated)
      if (i != 0 && i + 1 != found_.line.size())
        verdicts.push_back((i <= step.before ? "good " : "bad ") + found_.line[i].id);
    for (const size_t i : found_.search.steps.skipped)
      verdicts.push_back("skip " + found_.line[i].id);
    const CommitWorktree::Bisected said = probe_.worktree().bisect(start().id, end().id, verdicts);
    found_.git_command = said.words;
    found_.git_log = question_.folder() / "bisect.log";
    write_file(found_.git_log, said.log);
  }

  void finish() {
    found_.effort = probe_.effort();
    found_.answers = search_.answers();
    if (!search_.one_sided().empty())
      note("only some commits record " + list_text({search_.one_sided().begin(), search_.one_sided().end()}) +
           "; nothing was concluded from that");
  }

  CommitQuestion& question_;
  const Git& git_;
  History history_;
  CommitProbe probe_;
  CommitSearch search_;
  GoodGolden golden_;
  bool golden_stands_ = false;
  std::string good_reason_;
  CommitFindings found_;
};

}  // namespace

SearchRecord search_commits(CommitQuestion question, const Git& git, Progress& progress) {
  const CommitQuestion asked = question;
  complete_question(question, git);
  write_file(question.suite.out / "bisect" / ".gitignore", "*\n");  // OUT may be in a user's work tree
  const FolderLock lock(question.folder(), shell_quote(question.suite.command));
  const InterruptGuard guard;
  remove_temporaries(question.folder());
  const OrphanReaper offspring(question.folder() / "offspring");
  const CommitFindings found = Session(question, git, progress).run();
  trim_cache(RunStore(question.folder() / "suite").runs(), {question.suite.cache_bytes, {}, {}});
  return report_commits(question, found);
}

}  // namespace parity
