// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/checks/coverage.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "harness/compare/text/wording.hpp"

namespace parity::compare {
namespace {

constexpr std::string_view channel_prefix = "channel ";

int64_t count_of(const Covered& covered) {
  int64_t values = 0;
  for (const auto& [quantity, steps] : covered)
    values += steps.count();
  return values;
}

StepSet all_steps(const Covered& covered) {
  StepSet all;
  for (const auto& [quantity, steps] : covered)
    if (!(steps == all))
      for (const auto& [first, last] : steps.ranges())
        all.add(first, last);
  return all;
}

/// The first quantity that has steps in `all` but not in `part`, with these steps; "" if there is none.
struct Lack {
  std::string quantity;
  StepSet steps;
  size_t others = 0;  ///< further quantities that lack steps
};

Lack lack_of(const Covered& all, const Covered& part) {
  Lack lack;
  for (const auto& [quantity, steps] : all) {
    const auto found = part.find(quantity);
    const StepSet left = found == part.end() ? steps : steps.without(found->second);
    if (left.empty())
      continue;
    if (lack.steps.empty())
      lack = {quantity, left, 0};
    else
      ++lack.others;
  }
  return lack;
}

/// Returns " and lacks 3 more", to follow a quantity and its steps.
std::string more_text(const Lack& lack, const std::string& verb) {
  return lack.others == 0 ? "" : fmt::format(" and {} {} more", verb, lack.others);
}

std::string side_shortfall(const CoveredSide& side) {
  if (side.ranks_asked > 0 && side.ranks_asked != side.ranks_found)
    return fmt::format("{} recorded the values of {}, but was started with {}; record all ranks", side.name,
                       count_text(static_cast<size_t>(side.ranks_found), "rank"), side.ranks_asked);
  if (count_of(side.asked) == 0)
    return fmt::format("the check selects no value of {} at any step", side.name);
  if (const Lack lack = lack_of(side.asked, side.found); !lack.steps.empty())
    return fmt::format("{} has no {} at {}{} (the check needs {}); record all of it", side.name,
                       lack.quantity, lack.steps.text(), more_text(lack, "lacks"),
                       side.asked.at(lack.quantity).text());
  if (const Lack lack = lack_of(side.asked, side.compared); !lack.steps.empty())
    return fmt::format("{} of {} was not compared at {}{} (needed at {}); this is a defect of parity",
                       lack.quantity, side.name, lack.steps.text(), more_text(lack, "left out"),
                       side.asked.at(lack.quantity).text());
  if (const Lack lack = lack_of(side.compared, side.asked); !lack.steps.empty())
    return fmt::format(
        "{} of {} was compared at {}{}, which the check does not need; this is a defect of "
        "parity",
        lack.quantity, side.name, lack.steps.text(), more_text(lack, "compared"));
  return "";
}

/// Returns "2 channels". A single law is named.
std::string quantities_text(const Covered& covered, CoveredKind kind) {
  switch (kind) {
    case CoveredKind::laws:
      return covered.size() == 1 ? covered.begin()->first : count_text(covered.size(), "law");
    case CoveredKind::tensors:
      return count_text(covered.size(), "tensor");
    case CoveredKind::run: {
      const auto channels = static_cast<size_t>(std::ranges::count_if(
          covered, [](const auto& entry) { return entry.first.starts_with(channel_prefix); }));
      return fmt::format("{} and {}", count_text(channels, "channel"),
                         count_text(covered.size() - channels, "tensor"));
    }
    case CoveredKind::channels:
      break;
  }
  return count_text(covered.size(), "channel");
}

results::CoveredAmount amount_of(const Covered& covered) {
  return {static_cast<int64_t>(covered.size()), covered.empty() ? "" : all_steps(covered).text(),
          count_of(covered)};
}

}  // namespace

CoveredSide& Coverage::side(size_t number) {
  if (sides.size() <= number)
    sides.resize(number + 1);
  return sides[number];
}

void Coverage::add(size_t number, const std::string& quantity, const std::vector<int64_t>& steps) {
  StepSet& compared = side(number).compared[quantity];
  for (const int64_t step : steps)
    compared.add(step);
}

void Coverage::add(size_t number, const trace::TensorKey& key) {
  side(number).compared[quantity_of(key)].add(key.step);
}

void Coverage::add(size_t number, const Covered& compared) {
  for (const auto& [quantity, steps] : compared)
    for (const auto& [first, last] : steps.ranges())
      side(number).compared[quantity].add(first, last);
}

void Coverage::add_pair(const std::string& quantity, const std::vector<int64_t>& steps) {
  add(0, quantity, steps);
  add(1, quantity, steps);
}

std::string Coverage::shortfall() const {
  for (const CoveredSide& each : sides)
    if (std::string text = side_shortfall(each); !text.empty())
      return text;
  return sides.empty() ? "nothing was compared; this is a defect of parity" : "";
}

std::string Coverage::text() const {
  if (!stated.empty())
    return stated;
  const bool any = std::any_of(sides.begin(), sides.end(),
                               [](const CoveredSide& each) { return count_of(each.compared) > 0; });
  if (!any)
    return "nothing";
  const Covered& last = sides.back().compared;
  return fmt::format("{} at {}", quantities_text(last, kind), all_steps(last).text());
}

results::Coverage Coverage::summary() const {
  results::Coverage summary{text(), {}};
  for (const CoveredSide& each : sides)
    summary.sides.push_back({each.name, each.ranks_asked, each.ranks_found, amount_of(each.asked),
                             amount_of(each.found), amount_of(each.compared)});
  return summary;
}

std::string quantity_of_channel(std::string_view channel) {
  return fmt::format("{}{}", channel_prefix, channel);
}

std::string_view channel_of_quantity(std::string_view quantity) {
  return quantity.starts_with(channel_prefix) ? quantity.substr(channel_prefix.size()) : quantity;
}

std::string quantity_of_law(std::string_view law) {
  return fmt::format("law {}", law);
}

std::string quantity_of(const trace::TensorKey& key) {
  return fmt::format("{} {}", name_of(key.phase), key.name);
}

}  // namespace parity::compare
