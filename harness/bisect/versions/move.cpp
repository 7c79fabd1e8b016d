// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/versions/move.hpp"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/bisect/commits/trace_gap.hpp"
#include "harness/compare/text/wording.hpp"
#include "harness/suite/plan/identity/python_packages.hpp"

namespace parity::bisect {
namespace {

/// Says in a move which of its ends does not repeat. \return whether the move stays proven
bool stays_proven(Move& move, double first, double second, double tolerance) {
  if (first > tolerance) {
    move.own_gap =
        fmt::format("not proven, since two runs of {} differ {}",
                    move.before.empty() ? "the version before" : move.before, describe_own_gap(first));
    return false;
  }
  if (second > tolerance)
    move.own_gap =
        fmt::format("two runs of it differ {}, those of the version before do not", describe_own_gap(second));
  return true;
}

/// Returns "NAME-VERSION" of what an interpreter imports.
std::vector<std::string> imported_by(const std::filesystem::path& python) {
  std::vector<std::string> names;
  const Json packages = suite::python_packages(python.string(), {}, [](const auto&) { return ""; });
  for (const auto& [name, hash] : packages.items())
    names.push_back(name);
  std::ranges::sort(names);
  return names;
}

bool is_package(const std::string& package, const std::string& name) {
  const size_t version = name.rfind('-');
  return normalized_name(name.substr(0, version)) == package;
}

}  // namespace

std::string Move::text() const {
  std::string words = fmt::format("{} {} ", package, after.empty() ? "(not there)" : after);
  if (!before.empty())
    words += fmt::format("(after {}) ", before);
  words += gap.first                        ? "moves " + gap.first->text()
           : gap.recorded_otherwise.empty() ? "ends otherwise: one of the two runs crashes"
                                            : gap.recorded_otherwise;
  if (!between.empty())
    words += fmt::format("; {} between them could not be judged", compare::list_text(between));
  if (!narrowed)
    words += "; --most ended the search in this range";
  if (!came_along.empty())
    words += fmt::format("; {} came with it and may be the cause", compare::list_text(came_along));
  return words + (own_gap.empty() ? "" : "; " + own_gap);
}

std::string repeat_ends(VersionProbe& probe, double tolerance, std::vector<Move>& moves) {
  double largest = 0;
  std::string worst;
  const auto measure = [&](const Pins& pins) {
    const double own = probe.own_distance(pins);
    if (own > largest || worst.empty()) {
      largest = own;
      worst = text_of(pins);
    }
    return own;
  };
  std::vector<Move> proven, doubtful;
  for (Move& move : moves) {
    const double first = measure(move.first), second = measure(move.second);
    (stays_proven(move, first, second, tolerance) ? proven : doubtful).push_back(std::move(move));
  }
  std::vector<std::string> unnamed;
  std::erase_if(doubtful, [&](const Move& move) {
    if (move.gap.size > largest)
      return false;
    unnamed.push_back(move.package + " " + move.after);
    return true;
  });
  for (std::vector<Move>* list : {&proven, &doubtful})
    std::ranges::stable_sort(*list, std::greater<>(), [](const Move& move) { return move.gap.size; });
  moves = std::move(proven);
  std::ranges::move(doubtful, std::back_inserter(moves));
  if (!(largest > tolerance))
    return "";
  std::string note =
      fmt::format("two runs of one environment differ: those of {} {}", worst, describe_own_gap(largest));
  if (moves.empty())
    throw UserError(
        fmt::format("cannot name a release ({}, and no move is larger){}", note, describe_remedy(largest)),
        ExitCode::missing);
  if (!unnamed.empty())
    note += fmt::format("; {} moved no more than that, so {} not named", compare::list_text(unnamed),
                        unnamed.size() > 1 ? "they are" : "it is");
  return note + describe_remedy(largest);
}

void find_companions(Move& move, VersionProbe& probe) {
  const std::vector<std::string> before = imported_by(probe.environments().with(move.first).python),
                                 after = imported_by(probe.environments().with(move.second).python);
  if (before.empty() || after.empty())  // an interpreter did not answer
    return;
  std::ranges::set_difference(after, before, std::back_inserter(move.came_along));
  std::erase_if(move.came_along, [&](const std::string& name) { return is_package(move.package, name); });
}

}  // namespace parity::bisect
