// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/commits/search.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/compare/text/wording.hpp"
#include "harness/compare/traces/not_a_number.hpp"

namespace parity::bisect {
namespace {

constexpr size_t most_named = 6;

std::string describe_commits(const std::vector<Commit>& commits) {
  std::vector<std::string> words;
  for (size_t i = 0; i < std::min(commits.size(), most_named); ++i)
    words.push_back(commits[i].text());
  if (commits.size() > most_named)
    words.push_back(fmt::format("{} more", commits.size() - most_named));
  return compare::list_text(words);
}

/// Inserts by size, largest first; equal sizes stay in the order of insertion.
void insert_by_size(std::vector<ChangingCommit>& causes, ChangingCommit cause) {
  const auto place =
      std::upper_bound(causes.begin(), causes.end(), cause,
                       [](const ChangingCommit& a, const ChangingCommit& b) { return a.size > b.size; });
  causes.insert(place, std::move(cause));
}

std::string describe_change(const CommitAnswer& before, const CommitAnswer& after) {
  const auto verb = [](CommitState state) {
    return state == CommitState::failed ? "fails" : state == CommitState::crashed ? "crashes" : "runs";
  };
  return fmt::format("{}, but the one before {}{}", verb(after.state), verb(before.state),
                     after.reason.empty() ? "" : " (" + after.reason + ")");
}

}  // namespace

std::string ChangingCommit::text() const {
  const std::string does = first ? "moves " + first->text() : change;
  const std::string again = own_gap.empty() ? "" : "; " + own_gap;
  const std::string much =
      first && largest && largest->quantity != first->quantity
          ? fmt::format("; largest in {} (relative {})", escape_to_line(largest->quantity),
                        compare::size_text(largest->size))
          : "";
  if (between.empty())
    return fmt::format("commit {} {}{}{}{}", after.text(), does, much, again,
                       merged_by.empty() ? "" : "; " + merged_by);
  std::vector<Commit> all = between;
  all.push_back(after);
  return fmt::format("one of {} commits {}{}{}: {} ({})", all.size(), does, much, again,
                     describe_commits(all),
                     narrowed ? "those before the last cannot be judged" : "--most ended the search here");
}

Json ChangingCommit::to_json() const {
  Json json = {{"commit", after.id},
               {"subject", after.subject},
               {"before", before.id},
               {"narrowed", narrowed},
               {"size", json_number(size)},
               {"arm", arm},
               {"between", Json::array()},
               {"own_gap", own_gap},
               {"sentence", text()},
               {"first", first ? first->to_json() : Json()},
               {"largest", largest ? largest->to_json() : Json()}};
  for (const Commit& commit : between)
    json["between"].push_back(commit.id);
  return json;
}

const CommitAnswer& CommitSearch::answer(const Commit& commit) {
  const auto known = answers_.find(commit.id);
  if (known != answers_.end() && known->second.has_arms(question_.wanted_arms()))
    return known->second;
  return answers_[commit.id] = probe_.ask(commit);
}

TraceGap CommitSearch::gap(const Commit& a, const Commit& b, const std::string& arm) {
  return gap(answer(a).traces.at(arm), answer(b).traces.at(arm));
}

TraceGap CommitSearch::gap(const std::filesystem::path& before, const std::filesystem::path& after) {
  if (before == after)
    return {};
  const auto key = std::pair(before.string(), after.string());
  const auto known = gaps_.find(key);
  if (known != gaps_.end())
    return known->second;
  const TraceGap found =
      gap_between(trace::Trace::open(before), trace::Trace::open(after), question_.channels);
  if (found.recorded_otherwise.empty())
    one_sided_.insert(found.one_sided.begin(), found.one_sided.end());
  return gaps_[key] = found;
}

double CommitSearch::distance(const Commit& a, const Commit& b) {
  return distance(answer(a), answer(b));
}

double CommitSearch::distance(const CommitAnswer& a, const CommitAnswer& b) {
  if (!same_state(a, b))
    return std::numeric_limits<double>::infinity();
  double size = 0;
  if (a.state == CommitState::measured)
    for (const std::string& arm : question_.wanted_arms())
      size = std::max(size, gap(a.traces.at(arm), b.traces.at(arm)).size);
  return size;
}

double CommitSearch::distance_from(const Commit& commit, const CommitAnswer& again) {
  return distance(answer(commit), again);
}

bool CommitSearch::only_settings(const Commit& a, const Commit& b) {
  const std::vector<std::string> arms = question_.wanted_arms();
  return answer(a).state == CommitState::measured && answer(b).state == CommitState::measured &&
         std::ranges::all_of(arms, [&](const std::string& arm) { return gap(a, b, arm).only_settings; });
}

std::string CommitSearch::describe_not_a_number(const Commit& commit) {
  for (const auto& [arm, file] : answer(commit).traces)
    if (const std::string nan = compare::describe_not_a_number(trace::Trace::open(file)); !nan.empty())
      return fmt::format("{} (arm {})", nan, escape_to_line(arm));
  return "";
}

void CommitSearch::forget() {
  answers_.clear();
  gaps_.clear();
  one_sided_.clear();
}

std::vector<std::string> CommitSearch::differing_arms(const Commit& a, const Commit& b) {
  std::vector<std::string> arms;
  for (const std::string& arm : question_.wanted_arms())
    if (gap(a, b, arm).size > question_.tolerance)
      arms.push_back(arm);
  return arms;
}

ChangingCommit CommitSearch::between(const Commit& before, const Commit& after) {
  ChangingCommit cause;
  cause.before = before;
  cause.after = after;
  cause.size = distance(before, after);
  if (!same_state(before, after)) {
    cause.change = describe_change(answer(before), answer(after));
    return cause;
  }
  for (const std::string& arm : question_.wanted_arms()) {
    const TraceGap found = gap(before, after, arm);
    if (!found.recorded_otherwise.empty()) {
      cause.change = found.recorded_otherwise;
      cause.arm = arm;
      cause.first = cause.largest = std::nullopt;
      break;
    }
    if (found.first && (!cause.largest || found.size > cause.largest->size)) {
      cause.arm = arm;
      cause.first = found.first;
      cause.largest = found.largest;
    }
  }
  return cause;
}

LineSearch CommitSearch::along(const CommitLine& line) {
  LineSearch found;
  const RevisionProbe probe = {
      [&](size_t i) { return same_state(line[i], line.front()) || same_state(line[i], line.back()); },
      [&](size_t a, size_t b) { return distance(line[a], line[b]); }};
  found.steps = find_steps(line.size() - 1, probe, {question_.tolerance, question_.most});
  for (const RevisionStep& step : found.steps.steps) {
    ChangingCommit cause = between(line[step.before], line[step.after]);
    cause.narrowed = step.narrowed;
    cause.between.assign(line.begin() + static_cast<std::ptrdiff_t>(step.before) + 1,
                         line.begin() + static_cast<std::ptrdiff_t>(step.after));
    for (ChangingCommit& each : search_in_merge(cause)) {
      each.on_line = step.after;
      insert_by_size(found.causes, std::move(each));
    }
  }
  return found;
}

/// Returns the commits of a merged branch that made the change; the merge itself if none did.
std::vector<ChangingCommit> CommitSearch::search_in_merge(const ChangingCommit& merge) {
  const std::vector<std::string>& parents = merge.after.parents;
  if (!merge.between.empty() || parents.size() < 2)
    return {merge};
  std::vector<ChangingCommit> inside;
  for (const std::string& parent : parents) {
    const CommitLine branch = parent == merge.before.id
                                  ? CommitLine()
                                  : history_.branch_line(merge.before.id, parent, question_.paths);
    if (branch.size() < 2)
      continue;
    const bool judged = same_state(branch.front(), merge.before) && same_state(branch.back(), merge.after);
    if (!judged || !(distance(branch.front(), branch.back()) > question_.tolerance))
      continue;
    for (ChangingCommit& each : along(branch).causes)
      inside.push_back(std::move(each));
  }
  if (inside.empty()) {
    ChangingCommit itself = merge;
    itself.merged_by = "it is a merge, and no parent alone does that";
    return {itself};
  }
  for (ChangingCommit& each : inside)
    if (each.merged_by.empty())
      each.merged_by = "it came with merge " + merge.after.text();
  return inside;
}

}  // namespace parity::bisect
