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
#include "harness/bisect/commits/repeats.hpp"
#include "harness/bisect/commits/report.hpp"
#include "harness/bisect/commits/search.hpp"
#include "harness/compare/text/wording.hpp"
#include "harness/suite/runs/cache.hpp"
#include "harness/suite/runs/store.hpp"

namespace parity::bisect {
namespace fs = std::filesystem;
namespace {

/// One search from the revisions to the record.
class Session {
 public:
  Session(CommitQuestion& question, const suite::Git& git, Progress& progress)
      : question_(question),
        git_(git),
        history_(git),
        probe_(question, git, progress),
        search_(question, history_, probe_) {}

  /// Returns the findings. Any end of the search but an interrupt removes its answers with the next one.
  CommitFindings run() {
    try {
      evaluate();
      if (found_.ends_are_same && probe_.answers().resumed()) {  // what the runs read may have changed
        probe_.forget();
        search_.forget();
        evaluate();
      }
      probe_.answers().end();
      return std::move(found_);
    } catch (const UserError& error) {
      if (error.code() != ExitCode::interrupted)
        probe_.answers().end();
      throw;
    }
  }

 private:
  const Commit& start() const { return found_.line.front(); }
  const Commit& end() const { return found_.line.back(); }
  void note(const std::string& text) { found_.notes.push_back(text); }

  void evaluate() {
    found_ = {};
    found_.good = history_.commit(question_.good);
    found_.bad = history_.commit(question_.bad);
    found_.line = history_.line(found_.good, found_.bad, question_.paths);
    if (history_.has_uncommitted_changes())
      note("the work tree has uncommitted changes, which were not searched");
    if (found_.line.size() > 1) {
      judge_ends();
      if (search_.distance(start(), end()) > question_.tolerance)
        search();
      else
        accept_as_same();
    }
    finish();
  }

  void accept_as_same() {
    if (search_.only_settings(start(), end()))
      throw UserError(
          "cannot compare the two sides (their traces have only settings such as lr, which agree without "
          "equal "
          "training); record the loss or tensors, or state with --channel what is enough",
          ExitCode::missing);
    found_.ends_are_same = true;
    if (const std::string nan = search_.describe_not_a_number(end()); !nan.empty())
      note(nan + " on both sides");
  }

  void judge_ends() {
    judge_good();
    if (start().tree != found_.good.tree)
      judge_fork();
    const CommitAnswer& bad = search_.answer(end());
    if (bad.state == CommitState::skipped)
      throw UserError(fmt::format("cannot judge the bad side, {} ({}){}; give another commit", end().text(),
                                  bad.reason, log_command(bad)));
    const CommitState good = search_.answer(start()).state;
    if (good == CommitState::measured && bad.state == CommitState::failed)
      search_.compare_failures();
    if (std::set{good, bad.state} == std::set{CommitState::passed, CommitState::measured})
      throw UserError(
          "cannot compare the two sides (only one of them wrote a trace); let the command write one to "
          "$PARITY_TRACE on both sides, or on neither, to be judged by its exit status");
    if (question_.use_golden && golden_stands_ && !golden_word(end()).same_environment)
      throw UserError(
          fmt::format("cannot judge the good side, {} ({}; its golden is from another environment); give a "
                      "good side that builds here",
                      found_.good.text(), good_reason_));
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
      throw UserError(fmt::format("cannot judge the good side, {} ({}){}; give another commit",
                                  found_.good.text(), good.reason, log_command(good)),
                      good.state == CommitState::crashed ? ExitCode::crashed : ExitCode::bad_input);
    if (good.state == CommitState::failed)
      throw UserError(
          fmt::format("cannot use the good side, {} (it is already bad: {}); give an earlier commit",
                      found_.good.text(), good.reason));
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
    note(fmt::format("the good side cannot be judged here ({}); the channels of its golden are used instead",
                     good.reason));
  }

  GoldenWord golden_word(const Commit& commit) {
    return compare_with_golden(golden_, search_.answer(commit), question_.channels);
  }

  void check_against_golden(const CommitAnswer& good) {
    if (!golden_.problem.empty())
      return note(golden_.problem + "; its own run is the reference");
    const GoldenWord word = compare_with_golden(golden_, good, question_.channels);
    if (!word.first || !(word.first->size > question_.tolerance)) {
      found_.golden = "the good side's golden agrees with its run";
      return;
    }
    const std::string difference = escape_to_line(word.arm) + " has " + word.first->text();
    if (word.same_environment)
      throw UserError(
          fmt::format("cannot use the good side, {} (it already differs from its golden: {}); give an "
                      "earlier commit, or use its run as the reference with --no-golden",
                      found_.good.text(), difference));
    note(fmt::format(
        "the good side's golden is from another environment and differs ({}); its own run is the reference",
        difference));
  }

  /// Judges the commit where the good side branched off the bad side's line.
  void judge_fork() {
    const CommitAnswer fork = search_.answer(start());
    const CommitState good = search_.answer(found_.good).state;
    if (fork.state == good && !(search_.distance(found_.good, start()) > question_.tolerance))
      return note(
          fmt::format("{} is not on the first-parent line of {}; the search starts at their fork, {}, which "
                      "has the same numbers",
                      found_.good.text(), found_.bad.text(), start().text()));
    const std::string why = fork.state == good ? "moves " + search_.between(start(), found_.good).text()
                                               : std::string(name_of(fork.state)) + ", " + fork.reason;
    throw UserError(fmt::format(
        "cannot search from {} to {} (the good side is not on the first-parent line of the bad side, and "
        "their "
        "fork, {}, has other numbers: {}); search the good side's own line: parity bisect commits {} {}",
        found_.good.text(), found_.bad.text(), start().text(), why, start().short_id(),
        found_.good.short_id()));
  }

  void search() {
    const ChangingCommit ends = search_.between(start(), end());
    found_.ends = ends;
    if (search_.answer(end()).state == CommitState::measured)
      question_.arms = search_.differing_arms(start(), end());
    found_.arms = question_.wanted_arms();
    found_.search = search_.along(found_.line);
    for (const ChangingCommit& cause : found_.search.causes)
      if (std::none_of(found_.causes.begin(), found_.causes.end(),
                       [&](const ChangingCommit& known) { return known.after.id == cause.after.id; }))
        found_.causes.push_back(cause);
    const std::set<std::string> fixed = golden_stands_ ? std::set{found_.good.id} : std::set<std::string>{};
    found_.repeats = repeat_ends(question_, search_, probe_, found_.causes, fixed);
    confirm_with_git_bisect();
  }

  /// Gives git bisect the same verdicts about the first change named. This checks the result and makes a log,
  /// with which a user can continue.
  void confirm_with_git_bisect() {
    const auto& steps = found_.search.steps.steps;
    const size_t after = found_.causes.front().on_line;
    const RevisionStep& step =
        *std::ranges::find_if(steps, [&](const RevisionStep& each) { return each.after == after; });
    std::vector<std::string> verdicts;
    size_t low = 0, high = found_.line.size() - 1;
    for (const size_t i : found_.search.steps.evaluated) {
      if (i <= low || i >= high)
        continue;  // off the way: git would go back to a later bad commit
      verdicts.push_back((i <= step.before ? "good " : "bad ") + found_.line[i].id);
      (i <= step.before ? low : high) = i;
    }
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
      note("only some commits record " +
           compare::list_text({search_.one_sided().begin(), search_.one_sided().end()}) +
           ", so it was not compared");
  }

  CommitQuestion& question_;
  const suite::Git& git_;
  History history_;
  CommitProbe probe_;
  CommitSearch search_;
  GoodGolden golden_;
  bool golden_stands_ = false;
  std::string good_reason_;
  CommitFindings found_;
};

}  // namespace

SearchRecord search_commits(CommitQuestion question, const suite::Git& git, Progress& progress) {
  const CommitQuestion asked = question;
  complete_question(question, git);
  write_file(question.suite.out / "bisect" / ".gitignore", "*\n");  // OUT may be in a user's work tree
  const FolderLock lock(question.folder(), shell_quote(question.suite.command));
  const InterruptGuard guard;
  remove_temporaries(question.folder());
  const OrphanReaper offspring(question.folder() / "offspring");
  const CommitFindings found = Session(question, git, progress).run();
  suite::trim_cache(suite::RunStore(question.folder() / "suite").runs(),
                    {question.suite.cache_bytes, {}, {}});
  return report_commits(question, found);
}

}  // namespace parity::bisect
