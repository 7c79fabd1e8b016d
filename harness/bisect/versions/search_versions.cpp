// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/versions/search_versions.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/base/files/folder_lock.hpp"
#include "harness/base/processes/process.hpp"
#include "harness/base/processes/signals.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/bisect/search/delta_debugging.hpp"
#include "harness/bisect/search/find_steps.hpp"
#include "harness/bisect/versions/move.hpp"
#include "harness/bisect/versions/shadowed.hpp"
#include "harness/compare/text/wording.hpp"
#include "harness/suite/runs/cache.hpp"
#include "harness/suite/runs/store.hpp"

namespace parity::bisect {
namespace {

std::string version_of(const Pins& pins, const std::string& package) {
  const auto found = pins.find(package);
  return found == pins.end() ? "" : found->second;
}

/// One search from two sets of versions to the record.
class Session {
 public:
  Session(const VersionQuestion& question, Progress& progress)
      : question_(question), probe_(question, progress) {
    record_.kind = SearchKind::versions;
    record_.subject = fmt::format("{} between {} and {}", escape_to_line(question.source.name),
                                  text_of(question.good), text_of(question.bad));
  }

  SearchRecord run() {
    const std::vector<std::string> changed = changed_packages(question_.good, question_.bad);
    if (changed.empty())
      throw UserError("cannot search versions (both sides name the same ones); change at least one");
    require_measured(question_.good, "good");
    require_measured(question_.bad, "bad");
    const VersionGap ends = probe_.gap(question_.good, question_.bad);
    if (!(ends.size > question_.tolerance))
      return same();
    add_stage("ends", (ends.first ? "they differ in " : "the later one ") + ends.text(),
              {{"relative", json_size(ends.size)}});
    const std::vector<std::string> culprits = changed.size() > 1 ? culprits_of(changed) : changed;
    for (const std::string& package : culprits)
      search_releases(package, culprits);
    return finish();
  }

 private:
  static Json json_size(double size) { return std::isfinite(size) ? Json(size) : Json("inf"); }

  void add_stage(const std::string& name, const std::string& answer, Json details,
                 const std::string& command = "") {
    SearchStage stage;
    stage.name = name;
    stage.answer = answer;
    stage.command = command;
    stage.details = std::move(details);
    record_.stages.push_back(std::move(stage));
  }

  void require_measured(const Pins& pins, const char* side) {
    const VersionAnswer& answer = probe_.ask(pins);
    if (!answer.measured())
      throw UserError(
          fmt::format("cannot judge the {} side, {} ({}){}; give other versions", side, text_of(pins),
                      answer.reason, answer.log.empty() ? "" : "; its log: " + path_from_here(answer.log)),
          answer.crashed ? ExitCode::crashed : ExitCode::bad_input);
  }

  SearchRecord same() {
    const std::vector<std::string> changed = changed_packages(question_.good, question_.bad);
    std::vector<std::string> unasked;
    for (const Pins* side : {&question_.good, &question_.bad})
      unasked = require_installed_imports(question_, *side, changed, probe_.environments());
    record_.differs = false;
    record_.sentence = fmt::format(
        "the two sides do not differ{}; verified with {}",
        question_.tolerance > 0 ? " by more than " + compare::size_text(question_.tolerance) : "", effort());
    add_stage("ends", record_.sentence, Json::object());
    if (!unasked.empty())
      record_.notes.push_back(fmt::format(
          "whether {} {} the installed {} was not checked, since another program starts Python there",
          compare::list_text(unasked), unasked.size() == 1 ? "imports" : "import",
          compare::list_text(changed)));
    charge();
    return record_;
  }

  /// Returns the good side with some packages as in the bad one. A package that a side lacks is left to the
  /// base environment.
  Pins mixed(const std::set<std::string>& bad) const {
    Pins pins = question_.good;
    for (const std::string& name : bad) {
      const std::string version = version_of(question_.bad, name);
      if (version.empty())
        pins.erase(name);
      else
        pins[name] = version;
    }
    return pins;
  }

  /// Finds a smallest set of packages that makes the good side like the bad one.
  std::vector<std::string> culprits_of(const std::vector<std::string>& changed) {
    std::vector<size_t> order;
    for (size_t i = 0; i < changed.size(); ++i)
      order.push_back(i);
    const auto names = [&](const Toggles& on) {
      std::set<std::string> chosen;
      for (const size_t i : on)
        chosen.insert(changed[i]);
      return chosen;
    };
    const Toggles found =
        minimal_toggles(order, [&](const Toggles& on, Reach) { return likeness(names(on)); });
    std::vector<std::string> culprits;
    for (const std::string& name : names(found))
      culprits.push_back(name);
    add_stage("packages",
              fmt::format("{} of {}: {}", compare::count_text(culprits.size(), "package"), changed.size(),
                          compare::list_text(culprits)),
              {{"changed", changed}, {"causes", culprits}});
    return culprits;
  }

  Likeness likeness(const std::set<std::string>& bad) {
    const Pins pins = mixed(bad);
    if (!probe_.ask(pins).measured())
      return Likeness::unknown;
    if (!(probe_.distance(pins, question_.bad) > question_.tolerance))
      return Likeness::bad;
    return probe_.distance(question_.good, pins) > question_.tolerance ? Likeness::neither : Likeness::good;
  }

  /// Searches the releases of one package, the other culprits as in the bad side.
  void search_releases(const std::string& package, const std::vector<std::string>& culprits) {
    const std::string from = version_of(question_.good, package), to = version_of(question_.bad, package);
    std::set<std::string> others(culprits.begin(), culprits.end());
    others.erase(package);
    const auto at = [&](const std::string& version) {
      Pins pins = mixed(others);
      if (version.empty())
        pins.erase(package);
      else
        pins[package] = version;
      return pins;
    };
    std::vector<std::string> line = {from, to};
    if (!from.empty() && !to.empty())
      line = probe_.environments().releases(package, from, to, question_.good);
    const RevisionProbe probe = {
        [&](size_t i) { return probe_.ask(at(line[i])).measured(); },
        [&](size_t a, size_t b) { return probe_.distance(at(line[a]), at(line[b])); }};
    const StepSearch found = find_steps(line.size() - 1, probe, {question_.tolerance, question_.most});
    add_stage("releases",
              fmt::format("{} of {}: {} were judged, {} could not be judged",
                          compare::count_text(line.size(), "release"), package, found.evaluated.size(),
                          found.skipped.size()),
              {{"package", package}, {"releases", line}, {"bound", evaluation_bound(line.size() - 1)}});
    for (const size_t i : found.skipped)
      record_.notes.push_back(
          fmt::format("{} {} could not be judged: {}", package, line[i], probe_.ask(at(line[i])).reason));
    for (const RevisionStep& step : found.steps) {
      Move move;
      move.package = package;
      move.before = line[step.before];
      move.after = line[step.after];
      move.narrowed = step.narrowed;
      move.first = at(line[step.before]);
      move.second = at(line[step.after]);
      move.between.assign(line.begin() + static_cast<std::ptrdiff_t>(step.before) + 1,
                          line.begin() + static_cast<std::ptrdiff_t>(step.after));
      move.gap = probe_.gap(move.first, move.second);
      moves_.push_back(std::move(move));
    }
  }

  SearchRecord finish() {
    if (const std::string note = repeat_ends(probe_, question_.tolerance, moves_); !note.empty())
      record_.notes.push_back(note);
    for (Move& move : moves_) {
      find_companions(move, probe_);
      Json details = {{"package", move.package},
                      {"before", move.before},
                      {"after", move.after},
                      {"between", move.between},
                      {"relative", json_size(move.gap.size)},
                      {"arm", move.gap.arm},
                      {"came_along", move.came_along},
                      {"own_gap", move.own_gap}};
      if (move.gap.first)
        details["first"] = move.gap.first->to_json();
      add_stage("step", move.text(), std::move(details), compare_line(move));
    }
    if (!probe_.one_sided().empty())
      record_.notes.push_back("only some versions record " +
                              compare::list_text({probe_.one_sided().begin(), probe_.one_sided().end()}) +
                              ", so it was not compared");
    record_.notes.emplace_back(
        "a change that a later release reverted is not found if both ends of a range are the same");
    record_.sentence =
        moves_.empty()
            ? "the two sides differ, but no single release of these packages moves the numbers alone"
            : moves_.front().text();
    if (moves_.size() > 1)
      record_.sentence += fmt::format("; the largest of {} steps", moves_.size());
    record_.sentence += "; found with " + effort();
    charge();
    return record_;
  }

  /// Returns the command that compares the two traces of a move.
  std::string compare_line(const Move& move) {
    if (move.gap.arm.empty())
      return "";
    return shell_quote({"parity", "bisect", "traces",
                        path_from_here(probe_.ask(move.first).traces.at(move.gap.arm)),
                        path_from_here(probe_.ask(move.second).traces.at(move.gap.arm))});
  }

  std::string effort() {
    return fmt::format(
        "{} and {} ({} from the cache)",
        compare::count_text(static_cast<size_t>(probe_.environments().made()), "new environment"),
        compare::count_text(static_cast<size_t>(probe_.runs()), "run"), probe_.cached());
  }

  void charge() {
    record_.stages.front().runs = probe_.runs();
    record_.stages.front().cached = probe_.cached();
  }

  const VersionQuestion& question_;
  VersionProbe probe_;
  SearchRecord record_;
  std::vector<Move> moves_;
};

/// Lets the runs of each environment take an equal share of the cache.
void trim_caches(const VersionQuestion& question) {
  std::vector<std::filesystem::path> stores;
  for (const auto& entry : std::filesystem::directory_iterator(question.folder() / "suite"))
    for (const std::filesystem::path& out : {entry.path(), entry.path() / "again"})
      if (std::filesystem::is_directory(suite::RunStore(out).runs()))
        stores.push_back(suite::RunStore(out).runs());
  for (const std::filesystem::path& runs : stores)
    suite::trim_cache(runs, {question.suite.cache_bytes / stores.size(), {}, {}});
}

}  // namespace

SearchRecord search_versions(VersionQuestion question, Progress& progress) {
  complete_question(question);
  write_file(question.suite.out / "bisect" / ".gitignore", "*\n");  // OUT may be in a user's work tree
  const FolderLock lock(question.folder(), shell_quote(question.suite.command));
  const InterruptGuard guard;
  remove_temporaries(question.folder());
  SearchRecord record = Session(question, progress).run();
  trim_caches(question);
  return record;
}

}  // namespace parity::bisect
