// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/commits/repeats.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/json/number.hpp"
#include "harness/compare/text/wording.hpp"

namespace parity::bisect {
namespace {

class Repeats {
 public:
  Repeats(const CommitQuestion& question, CommitSearch& search, CommitProbe& probe,
          const std::set<std::string>& fixed)
      : question_(question), search_(search), probe_(probe), fixed_(fixed) {}

  CommitRepeats run(std::vector<ChangingCommit>& causes) {
    for (const ChangingCommit& cause : causes)
      for (const Commit& commit : {cause.before, cause.after})
        measure(commit);
    if (!(found_.largest > question_.tolerance))
      return std::move(found_);
    std::vector<ChangingCommit> proven, doubtful;
    std::vector<std::string> unnamed;
    for (ChangingCommit& cause : causes)
      if (is_proven(cause))
        proven.push_back(std::move(cause));
      else if (cause.size > found_.largest)
        doubtful.push_back(std::move(cause));
      else
        unnamed.push_back(cause.after.short_id());
    causes = std::move(proven);
    std::ranges::move(doubtful, std::back_inserter(causes));
    if (causes.empty())
      throw UserError(fmt::format("cannot name a commit ({}, and no step is larger){}", describe_worst(),
                                  describe_remedy(found_.largest)),
                      ExitCode::missing);
    found_.note = describe_worst();
    if (!unnamed.empty())
      found_.note += fmt::format("; {} changed no more than that, so {} not named",
                                 compare::list_text(unnamed), unnamed.size() > 1 ? "they are" : "it is");
    found_.note += describe_remedy(found_.largest);
    return std::move(found_);
  }

 private:
  bool repeats(const Commit& commit) const {
    const auto known = found_.own_gaps.find(commit.id);
    return known == found_.own_gaps.end() || !(known->second > question_.tolerance);
  }

  void measure(const Commit& commit) {
    if (fixed_.contains(commit.id) || found_.own_gaps.contains(commit.id))
      return;
    const double own = search_.distance_from(commit, probe_.repeat(commit));
    found_.own_gaps[commit.id] = own;
    if (own > found_.largest || worst_.empty()) {
      found_.largest = own;
      worst_ = commit.text();
    }
  }

  /// Returns whether a step stays proven; says in it which of its ends does not repeat.
  bool is_proven(ChangingCommit& cause) const {
    if (repeats(cause.before) && repeats(cause.after))
      return true;
    if (repeats(cause.before)) {
      cause.own_gap = fmt::format("two runs of it differ {}, those of the commit before do not",
                                  describe_own_gap(found_.own_gaps.at(cause.after.id)));
      return true;
    }
    const Commit& end = repeats(cause.after) ? cause.before : cause.after;
    cause.own_gap = fmt::format("not proven, since two runs of {} differ {}", end.short_id(),
                                describe_own_gap(found_.own_gaps.at(end.id)));
    return false;
  }

  std::string describe_worst() const {
    return fmt::format("two runs of one commit differ: those of {} {}", worst_,
                       describe_own_gap(found_.largest));
  }

  const CommitQuestion& question_;
  CommitSearch& search_;
  CommitProbe& probe_;
  const std::set<std::string>& fixed_;
  CommitRepeats found_;
  std::string worst_;
};

}  // namespace

Json CommitRepeats::to_json() const {
  Json json = Json::object();
  for (const auto& [id, gap] : own_gaps)
    json[id] = json_number(gap);
  return json;
}

bool may_not_repeat(const CommitQuestion& question) {
  if (!question.source || question.source->profile != suite::Profile::portable ||
      question.source->base.contains("device"))
    return true;
  const std::vector<std::string> wanted = question.wanted_arms();
  return std::ranges::any_of(wanted, [&](const std::string& name) {
    const suite::Arm& arm = question.source->arm(name);
    return arm.is_command() || arm.config.contains("device");
  });
}

CommitRepeats repeat_ends(const CommitQuestion& question, CommitSearch& search, CommitProbe& probe,
                          std::vector<ChangingCommit>& causes, const std::set<std::string>& fixed) {
  if (!may_not_repeat(question))
    return {};
  return Repeats(question, search, probe, fixed).run(causes);
}

}  // namespace parity::bisect
