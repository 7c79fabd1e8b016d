// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/commits/report.hpp"

#include <fmt/format.h>

#include "harness/base/files/file.hpp"
#include "harness/base/processes/process.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/compare/text/wording.hpp"

namespace parity::bisect {
namespace {

std::string count_commits(size_t count) {
  return compare::count_text(count, "commit");
}

size_t commits_between(const CommitFindings& found) {
  return found.line.size() - 1;
}

std::string git_line(const CommitQuestion& question, const CommitFindings& found) {
  std::vector<std::string> words = {"git", "log", "--oneline", "--first-parent",
                                    found.line.front().short_id() + ".." + found.bad.short_id()};
  if (!question.paths.empty())
    words.emplace_back("--");
  words.insert(words.end(), question.paths.begin(), question.paths.end());
  return shell_quote(words);
}

SearchStage range_stage(const CommitQuestion& question, const CommitFindings& found) {
  SearchStage stage;
  stage.name = "range";
  stage.answer =
      fmt::format("{} from {} to {}{}", count_commits(commits_between(found)), found.line.front().text(),
                  found.bad.text(),
                  question.paths.empty() ? "" : ", those that change " + compare::list_text(question.paths));
  stage.command = git_line(question, found);
  stage.details = {{"good", found.good.id}, {"bad", found.bad.id}, {"commits", commits_between(found)}};
  return stage;
}

/// Returns the command that compares the two traces of a pair of commits.
std::string compare_line(const CommitFindings& found, const ChangingCommit& pair) {
  const auto before = found.answers.find(pair.before.id);
  const auto after = found.answers.find(pair.after.id);
  if (pair.arm.empty() || before == found.answers.end() || after == found.answers.end())
    return "";
  return shell_quote({"parity", "bisect", "traces", path_from_here(before->second.traces.at(pair.arm)),
                      path_from_here(after->second.traces.at(pair.arm))});
}

SearchStage ends_stage(const CommitFindings& found) {
  SearchStage stage;
  stage.name = "ends";
  const ChangingCommit& ends = *found.ends;
  stage.answer = ends.first ? "they differ in " + ends.first->text() : "the later one " + ends.change;
  if (found.arms.size() > 1)
    stage.answer += "; arms " + compare::list_text(found.arms);
  if (!found.golden.empty())
    stage.answer += "; " + found.golden;
  stage.command = compare_line(found, ends);
  stage.details = ends.to_json();
  return stage;
}

std::string describe_effort(const CommitFindings& found) {
  const std::string remembered =
      found.effort.remembered > 0 ? fmt::format(" ({} answers were cached)", found.effort.remembered) : "";
  const std::string repeats =
      found.effort.repeats > 0
          ? ", and " + compare::count_text(static_cast<size_t>(found.effort.repeats), "repeat")
          : "";
  return fmt::format("{} and {}{}{} among {}",
                     compare::count_text(static_cast<size_t>(found.effort.builds), "build"),
                     compare::count_text(static_cast<size_t>(found.effort.runs), "run"), remembered, repeats,
                     count_commits(commits_between(found)));
}

Json asked_json(const CommitFindings& found) {
  Json asked = Json::array();
  for (const auto& [id, answer] : found.answers)
    asked.push_back({{"commit", id},
                     {"state", name_of(answer.state)},
                     {"reason", answer.reason},
                     {"seconds", answer.seconds}});
  return asked;
}

SearchStage commits_stage(const CommitQuestion& question, const CommitFindings& found) {
  SearchStage stage;
  stage.name = "commits";
  const StepSearch& steps = found.search.steps;
  const size_t bound = evaluation_bound(commits_between(found));
  stage.answer =
      fmt::format("{}; {} of the line were judged ({} suffice for one step), {} could not be judged",
                  compare::count_text(found.causes.size(), "step"), count_commits(steps.evaluated.size()),
                  bound, steps.skipped.size());
  stage.command = shell_quote(question.suite.command);
  stage.runs = found.effort.runs;
  stage.cached = found.effort.remembered;
  stage.seconds = found.effort.seconds;
  stage.details = {{"builds", found.effort.builds},
                   {"evaluated", steps.evaluated.size()},
                   {"skipped", steps.skipped.size()},
                   {"bound", bound},
                   {"asked", asked_json(found)}};
  return stage;
}

SearchStage cause_stage(const CommitFindings& found, const ChangingCommit& cause) {
  SearchStage stage;
  stage.name = "step";
  stage.answer = cause.text();
  stage.command = compare_line(found, cause);
  stage.details = cause.to_json();
  return stage;
}

SearchStage repeats_stage(const CommitFindings& found) {
  SearchStage stage;
  stage.name = "repeats";
  stage.answer = found.repeats.note.empty()
                     ? fmt::format("a second run of each of {} that the steps name gave the same answer",
                                   count_commits(found.repeats.own_gaps.size()))
                     : found.repeats.note;
  stage.details = {{"own_gaps", found.repeats.to_json()}, {"runs", found.effort.repeats}};
  return stage;
}

SearchStage git_stage(const CommitFindings& found) {
  SearchStage stage;
  stage.name = "git";
  stage.answer = found.git_command.empty()
                     ? "the verdicts do not suffice for git bisect; continue with its log"
                     : "the same search of the first step named, with git bisect: " +
                           escape_for_terminal(found.git_command);
  stage.command = shell_quote({"git", "bisect", "replay", path_from_here(found.git_log)});
  return stage;
}

std::string sentence_of(const CommitFindings& found) {
  const std::string others =
      found.causes.size() > 1 ? fmt::format("; the largest of {} steps", found.causes.size()) : "";
  return found.causes.front().text() + others + "; found with " + describe_effort(found);
}

std::string same_sentence(const CommitQuestion& question, const CommitFindings& found) {
  if (found.line.size() < 2)
    return question.paths.empty() || found.good.tree == found.bad.tree
               ? "the two sides do not differ: both commits contain the same files"
               : "the two sides do not differ: no commit between them changes " +
                     compare::list_text(question.paths);
  const std::string up_to =
      question.tolerance > 0 ? " by more than " + compare::size_text(question.tolerance) : std::string();
  return fmt::format("the two sides do not differ{}; verified with {}", up_to, describe_effort(found));
}

void add_notes_on_skipped(const CommitFindings& found, SearchRecord& record) {
  for (const size_t i : found.search.steps.skipped) {
    const Commit& commit = found.line[i];
    const CommitAnswer& answer = found.answers.at(commit.id);
    const bool crashed = answer.state == CommitState::crashed || answer.state == CommitState::failed;
    record.notes.push_back(fmt::format("{} could not be judged: {}{}{}", commit.text(),
                                       crashed ? "it ends otherwise than both sides, " : "",
                                       answer.reason.empty() ? "left no trace" : answer.reason,
                                       answer.log.empty() ? "" : "; log: " + path_from_here(answer.log)));
  }
}

}  // namespace

SearchRecord report_commits(const CommitQuestion& question, const CommitFindings& found) {
  SearchRecord record;
  record.kind = SearchKind::commits;
  record.subject =
      fmt::format("{} between {} and {}",
                  question.source ? escape_to_line(question.source->name) : escape_for_terminal(question.run),
                  escape_to_line(question.good), escape_to_line(question.bad));
  record.notes = found.notes;
  record.stages.push_back(range_stage(question, found));
  if (!found.causes.empty()) {
    record.stages.push_back(ends_stage(found));
    record.stages.push_back(commits_stage(question, found));
    for (const ChangingCommit& cause : found.causes)
      record.stages.push_back(cause_stage(found, cause));
    if (!found.repeats.own_gaps.empty())
      record.stages.push_back(repeats_stage(found));
    record.stages.push_back(git_stage(found));
    add_notes_on_skipped(found, record);
    record.notes.emplace_back(
        "a change that a later commit reverted is not found if both ends of a range are the same");
    record.sentence = sentence_of(found);
    return record;
  }
  record.differs = false;
  record.stages.back().runs = found.effort.runs;
  record.stages.back().cached = found.effort.remembered;
  record.sentence = same_sentence(question, found);
  return record;
}

}  // namespace parity::bisect
