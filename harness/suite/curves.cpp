// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/curves.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

namespace parity {
namespace {

using Values = std::map<int64_t, double>;  // by step

Values values_of(const Trace* trace, const std::string& name) {
  Values values;
  if (!trace)
    return values;
  const auto channel = trace->channels().find(name);
  if (channel == trace->channels().end() || channel->second.kind != ChannelKind::numeric)
    return values;
  const std::vector<double> numbers = channel->second.as_double();
  for (size_t i = 0; i < std::min(numbers.size(), trace->steps().size()); ++i)
    values[trace->steps()[i]] = numbers[i];
  return values;
}

Json row(const std::vector<int64_t>& steps, const Values& values) {
  Json numbers = Json::array();
  for (const int64_t step : steps) {
    const auto found = values.find(step);
    numbers.push_back(found == values.end() ? Json() : number_json(found->second));
  }
  return numbers;
}

Values gap_of(const Values& a, const Values& b) {
  Values gap;
  for (const auto& [step, value] : a)
    if (const auto other = b.find(step); other != b.end())
      gap[step] = value == other->second ? 0.0 : std::abs(value - other->second);  // equal infinities: no gap
  return gap;
}

/// Names of what a person would plot, the usual ones first. Digests are numbers that mean nothing on an axis.
std::vector<std::string> channels_of(const Case& source, const Evidence& evidence) {
  std::set<std::string> names;
  for (const Arm& arm : source.arms)
    if (const Trace* trace = evidence.trace(arm.name))
      for (const auto& [name, channel] : trace->channels())
        if (channel.kind == ChannelKind::numeric && name.find("digest") == std::string::npos)
          names.insert(name);
  std::vector<std::string> ordered;
  for (const char* usual : {"loss", "lr", "grad_norm", "update_norm"})
    if (names.erase(usual) > 0)
      ordered.emplace_back(usual);
  ordered.insert(ordered.end(), names.begin(), names.end());
  return ordered;
}

Json curve_of(const Case& source, const Evidence& evidence, const std::string& channel) {
  std::map<std::string, Values> values;
  std::set<int64_t> all_steps;
  Values floor;
  for (const Arm& arm : source.arms) {
    values[arm.name] = values_of(evidence.trace(arm.name), channel);
    for (const auto& [step, value] : values[arm.name])
      all_steps.insert(step);
    for (const auto& [step, noise] :
         gap_of(values[arm.name], values_of(evidence.arms().at(arm.name).twin, channel)))
      floor[step] = std::isnan(noise) ? noise : std::max(floor[step], noise);
  }
  const std::vector<int64_t> steps(all_steps.begin(), all_steps.end());
  Json curve = {{"channel", channel}, {"steps", steps}, {"golden", nullptr}};
  curve["floor"] = floor.empty() ? Json() : row(steps, floor);
  for (const Arm& arm : source.arms) {
    curve["series"][arm.name] = row(steps, values[arm.name]);
    if (arm.name != source.reference)
      curve["gap"][arm.name] = row(steps, gap_of(values[source.reference], values[arm.name]));
  }
  if (!curve.contains("gap"))
    curve["gap"] = Json::object();
  return curve;
}

/// Updates with lr 0 that left every parameter as it was.
std::vector<int64_t> wasted_updates(const Trace* trace) {
  const Values rates = values_of(trace, "lr");
  const Values moves = values_of(trace, "update_norm");
  std::vector<int64_t> wasted;
  for (const auto& [step, rate] : rates)
    if (const auto move = moves.find(step); rate == 0 && move != moves.end() && move->second == 0)
      wasted.push_back(step);
  return wasted;
}

std::string wasted_words(const std::vector<int64_t>& updates) {
  if (updates.size() == 1)
    return fmt::format("update {} has lr 0 and leaves every parameter unchanged: a wasted step",
                       updates.front());
  return fmt::format(
      "{} updates (first {}, last {}) have lr 0 and leave every parameter unchanged: wasted steps",
      updates.size(), updates.front(), updates.back());
}

/// "updates with lr 0, of 10: titan 0, deepspeed 2", if any arm has one and another to compare with.
std::vector<std::string> zero_rates(const Case& source, const Evidence& evidence) {
  std::string counts;
  int64_t arms = 0, zeros = 0, longest = 0;
  for (const Arm& arm : source.arms) {
    const Values rates = values_of(evidence.trace(arm.name), "lr");
    if (rates.empty())
      continue;
    const auto found =
        std::count_if(rates.begin(), rates.end(), [](const auto& at) { return at.second == 0; });
    counts += fmt::format("{} {} {}", arms == 0 ? "" : ",", arm.name, found);
    ++arms;
    zeros += found;
    longest = std::max(longest, rates.rbegin()->first);
  }
  if (arms < 2 || zeros == 0)
    return {};
  return {fmt::format("updates with lr 0, of {}:{}", longest, counts)};
}

}  // namespace

Json number_json(double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value > 0 ? "inf" : "-inf";
  return value;
}

Json finite_json(const Json& value) {
  if (value.is_number_float())
    return number_json(value.get<double>());
  Json copy = value;
  if (copy.is_structured())
    for (auto& element : copy)
      element = finite_json(element);
  return copy;
}

Json curves_of(const Case& source, const Evidence& evidence,
               const std::map<std::string, std::map<std::string, std::vector<double>>>& golden) {
  Json curves = Json::array();
  for (const std::string& channel : channels_of(source, evidence)) {
    Json curve = curve_of(source, evidence, channel);
    for (const auto& [arm, channels] : golden)
      if (const auto stored = channels.find(channel); stored != channels.end()) {
        Json numbers = Json::array();
        for (size_t i = 0; i < curve["steps"].size(); ++i)
          numbers.push_back(i < stored->second.size() ? number_json(stored->second[i]) : Json());
        if (curve["golden"].is_null())
          curve["golden"] = Json::object();
        curve["golden"][arm] = numbers;
      }
    curves.push_back(std::move(curve));
  }
  return curves;
}

std::vector<std::string> notes_on(const Case& source, const Evidence& evidence) {
  std::vector<std::pair<std::vector<int64_t>, std::vector<std::string>>> wasted;  // updates, arms
  for (const Arm& arm : source.arms) {
    const std::vector<int64_t> updates = wasted_updates(evidence.trace(arm.name));
    if (updates.empty())
      continue;
    const auto same =
        std::find_if(wasted.begin(), wasted.end(), [&](const auto& entry) { return entry.first == updates; });
    if (same == wasted.end())
      wasted.push_back({updates, {arm.name}});
    else
      same->second.push_back(arm.name);
  }
  std::vector<std::string> notes;
  for (const auto& [updates, arms] : wasted)
    notes.push_back(fmt::format("{}: {}", fmt::join(arms, ", "), wasted_words(updates)));
  for (std::string& counts : zero_rates(source, evidence))
    notes.push_back(std::move(counts));
  return notes;
}

}  // namespace parity
