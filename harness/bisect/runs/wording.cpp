// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/runs/wording.hpp"

#include <algorithm>
#include <functional>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/bisect/traces/first_step.hpp"

namespace parity::bisect {
namespace {

/// Describes a learning rate or weight decay that differs in an update whose gradients agree; "" if none
/// does.
std::string changed_rate(const FirstBadUpdate& update) {
  const trace::Phase phase = update.first()->key.phase;
  if (phase != trace::Phase::optim && phase != trace::Phase::param)
    return "";
  for (const ChannelStation& station :
       first_channels(update.traces().expected_trace(), update.traces().actual_trace()))
    if (station.step == update.step() && (station.channel == "lr" || station.channel == "weight_decay"))
      return fmt::format("{} of update {} is {} against {}", station.channel, update.step(), station.expected,
                         station.actual);
  return "";
}

/// Returns what a difference in an input means.
std::string describe_input(const std::string& name) {
  if (name.starts_with("first_keys"))
    return "mask different pairs";
  if (name == "positions")
    return "count positions differently";
  if (name == "document_ids")
    return "split documents differently";
  return "read different data";
}

}  // namespace

std::string describe_first(const RunProbe& probe, const FirstBadUpdate& update,
                           const std::optional<FirstBadOperator>& guilty,
                           const std::optional<TensorPlace>& place) {
  const TensorStation& first = *update.first();
  std::string text =
      fmt::format("{} is the first tensor that differs{}", describe(first.key), update.describe_rank());
  if (first.split)
    text += ": " + first.split->text(probe.sides().expected, probe.sides().actual);
  else if (first.changed)
    text += ": " + first.changed->text(probe.sides().expected, probe.sides().actual);
  else if (first.key.step == 0)
    text += ": the sides start from different weights";
  else if (first.key.phase == trace::Phase::input)
    text += fmt::format(": the sides {}, before any computation", describe_input(first.key.name));
  else if (const std::string rate = changed_rate(update); !rate.empty())
    text += ": " + rate;
  else if (guilty)
    text += ": " + guilty->text();
  if (place && !place->short_text().empty())
    text += "; " + place->short_text();
  return text;
}

std::string describe_other_faults(const std::optional<LocalFaults>& local, const TensorStation& first) {
  if (!local)
    return "";
  std::vector<TensorStation> loud = local->loud;  // the largest error first
  std::ranges::stable_sort(loud, std::greater<>(),
                           [](const TensorStation& station) { return station.relative.value_or(0); });
  std::vector<std::string> others;
  for (const TensorStation& station : loud)
    if (station.key != first.key)
      others.push_back(fmt::format("{} {}", name_of(station.key.phase), station.key.name));
  if (others.empty())
    return "";
  constexpr size_t most = 3;
  const size_t more = others.size() > most ? others.size() - most : 0;
  others.resize(std::min(others.size(), most));
  return fmt::format("; further local errors: {}{}", fmt::join(others, ", "),
                     more > 0 ? fmt::format(" and {} more", more) : "");
}

std::string sentence_without_tensor(const RunProbe& probe, const FirstBadUpdate& update, int64_t visible,
                                    const LawComparison& laws) {
  const Sides& sides = probe.sides();
  const std::string found = laws.text(sides.expected, sides.actual);
  if (!update.has_tensors())
    return fmt::format(
        "{} and {} differ from step {} on, but no tensor that both recorded does; record tensors of that "
        "step: "
        "phases forward, backward, grad, optim and param{}",
        sides.expected, sides.actual, visible, laws.first() ? "; " + found : "");
  return fmt::format("channels of {} and {} differ from step {} on, but no tensor{} does: {}", sides.expected,
                     sides.actual, visible, update.first() ? " of that step" : "", found);
}

}  // namespace parity::bisect
