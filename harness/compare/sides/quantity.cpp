// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/sides/quantity.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "harness/base/text/glob.hpp"
#include "harness/compare/text/wording.hpp"
#include "harness/trace/format/micro_batch_tensor.hpp"
#include "harness/trace/format/operator_tensor.hpp"

namespace parity::compare {
namespace {

/// Returns the tensors of the check's phase and glob, in order.
std::vector<trace::TensorKey> matching_keys(const Check& check, const Side& side) {
  std::vector<trace::TensorKey> keys = tensor_keys(*side.trace);
  std::erase_if(keys, [&](const trace::TensorKey& key) { return !is_about(check, key); });
  return keys;
}

/// Throws MissingEvidence with what the sides did record, for a check that matches nothing.
[[noreturn]] void throw_no_match(const Check& check, const std::vector<Side>& sides) {
  std::set<std::string> names;
  std::set<std::string> phases;
  std::set<int64_t> steps;
  for (const Side& side : sides)
    for (const trace::TensorKey& key : tensor_keys(*side.trace)) {
      phases.emplace(name_of(key.phase));
      if (key.phase == check.phase)
        names.insert(key.name);
      if (is_about(check, key))
        steps.insert(key.step);
    }
  const std::string window = window_text(check.steps);
  if (!steps.empty())
    throw MissingEvidence(
        fmt::format("no {} of '{}' in the window '{}' (recorded at {}); capture a step inside it",
                    name_of(check.phase), check.tensor, window, steps_text({steps.begin(), steps.end()})));
  if (!names.empty())
    throw MissingEvidence(fmt::format("no {} tensor matches '{}'{}", name_of(check.phase), check.tensor,
                                      suggestion(check.tensor, {names.begin(), names.end()})));
  throw MissingEvidence(
      fmt::format("no {} tensor was recorded{}; ask for it under [capture]", name_of(check.phase),
                  phases.empty() ? "" : " (only " + list_text({phases.begin(), phases.end()}) + ")"));
}

[[noreturn]] void throw_unpaired(const trace::TensorKey& key, const Side& has,
                                 const trace::TensorKey& partner, const Side& lacks) {
  throw MissingEvidence(fmt::format("{} {} at step {} is in {} but at step {} not in {}; capture it in both",
                                    name_of(key.phase), key.name, key.step, has.name, partner.step,
                                    lacks.name));
}

}  // namespace

bool is_about(const Check& check, const trace::TensorKey& key) {
  if (key.phase != check.phase || !glob_match(check.tensor, key.name))
    return false;
  return check.tensor.find('@') != std::string::npos ||
         (!trace::parse_operator_tensor(key.name) && !trace::parse_micro_batch_tensor(key.name));
}

std::vector<std::string> match_channels(const std::vector<std::string>& patterns,
                                        const std::vector<Side>& sides) {
  std::vector<std::string> known;
  std::vector<std::string> timing;
  for (const Side& side : sides)
    for (const auto& [name, channel] : side.trace->channels()) {
      auto& list = channel.kind == trace::ChannelKind::numeric ? known : timing;
      if (std::find(list.begin(), list.end(), name) == list.end())
        list.push_back(name);
    }
  std::vector<std::string> matched;
  for (const std::string& pattern : patterns) {
    const size_t before = matched.size();
    bool any = false;
    for (const std::string& name : known) {
      const bool hit = name == pattern || glob_match(pattern, name);
      any = any || hit;
      if (hit && std::find(matched.begin(), matched.end(), name) == matched.end())
        matched.push_back(name);
    }
    if (any || matched.size() > before)
      continue;
    if (std::find(timing.begin(), timing.end(), pattern) != timing.end())
      throw MissingEvidence(
          fmt::format("'{}' is a timing channel (shown, never judged); check a numeric one{}", pattern,
                      suggestion("", known)));
    throw MissingEvidence(fmt::format("no channel '{}'{}", pattern, suggestion(pattern, known)));
  }
  if (matched.empty())
    throw MissingEvidence("the check names no channel" + suggestion("", known));
  return matched;
}

Series channel_at(const Side& side, const std::string& name, const std::vector<int64_t>& steps) {
  const auto found = side.trace->channels().find(name);
  if (found == side.trace->channels().end()) {
    std::vector<std::string> known;
    for (const auto& [other, channel] : side.trace->channels())
      known.push_back(other);
    throw MissingEvidence(fmt::format("{} has no channel '{}'{}", side.name, name, suggestion(name, known)));
  }
  std::vector<int64_t> lacking;
  Series series = series_of(found->second, side.trace->steps(), steps, &lacking);
  if (!lacking.empty())
    throw MissingEvidence(fmt::format("{} of {} has no value at {} (its last step is {})", name, side.name,
                                      steps_text(lacking), side.trace->last_step()));
  return series;
}

std::vector<trace::TensorKey> tensor_keys(const trace::Trace& trace) {
  std::set<trace::TensorKey> seen;
  std::map<std::pair<int64_t, trace::Phase>, std::vector<trace::TensorKey>>
      moments;  // each in order of execution
  const auto add = [&](const trace::TensorKey& key) {
    if (seen.insert(key).second)
      moments[{key.step, key.phase}].push_back(key);
  };
  for (const trace::TensorKey& key : trace.tensors())
    add(key);
  for (const trace::SketchRow& row : trace.sketches())
    add(row.key);
  std::vector<trace::TensorKey> keys;
  keys.reserve(seen.size());
  for (const auto& [moment, list] : moments)
    keys.insert(keys.end(), list.begin(), list.end());
  return keys;
}

std::vector<TensorPair> pair_tensors(const Check& check, const Side& a, const Side& b, int64_t lag) {
  const ResolvedWindow window = resolve(check.steps, {a, b});
  const int64_t last = updates_of({a, b}).last;
  const std::vector<trace::TensorKey> keys_a = matching_keys(check, a);
  const std::vector<trace::TensorKey> keys_b = matching_keys(check, b);
  const std::set<trace::TensorKey> in_a(keys_a.begin(), keys_a.end());
  const std::set<trace::TensorKey> in_b(keys_b.begin(), keys_b.end());
  const auto moved = [](trace::TensorKey key, int64_t steps) {
    key.step += steps;
    return key;
  };
  std::vector<TensorPair> pairs;
  for (const trace::TensorKey& key : keys_a) {
    const trace::TensorKey partner = moved(key, lag);
    if (!window.contains(key.step) || (lag != 0 && (partner.step < 0 || partner.step > last)))
      continue;
    if (!in_b.contains(partner))
      throw_unpaired(key, a, partner, b);
    pairs.push_back({key, partner});
  }
  for (const trace::TensorKey& key : keys_b) {
    const trace::TensorKey partner = moved(key, -lag);
    if (window.contains(partner.step) && key.step <= last && !in_a.contains(partner))
      throw_unpaired(key, b, partner, a);
  }
  if (pairs.empty())
    throw_no_match(check, {a, b});
  return pairs;
}

}  // namespace parity::compare
