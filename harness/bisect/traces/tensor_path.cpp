// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/traces/tensor_path.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "harness/compare/tensors/gap.hpp"
#include "harness/compare/text/wording.hpp"
#include "harness/trace/format/operator_tensor.hpp"
#include "harness/trace/format/restart_names.hpp"

namespace parity::bisect {
namespace {

using RankRows = std::vector<trace::RankRow>;

/// Returns the first number between dots in a name; nothing if there is none.
std::optional<int64_t> depth_of(const std::string& name) {
  for (size_t at = name.find('.'); at != std::string::npos; at = name.find('.', at + 1)) {
    int64_t depth = 0;
    const auto [end, error] = std::from_chars(name.data() + at + 1, name.data() + name.size(), depth);
    if (error == std::errc{})
      return depth;
  }
  return std::nullopt;
}

/// Returns the pipeline position of a tensor in its phase. Backward runs through the stages in reverse.
int64_t stage_order(const trace::TensorKey& key, const RankRows& rows) {
  constexpr int64_t last = std::numeric_limits<int64_t>::max();
  const bool is_of_first_rank = rows.front().rank == 0;
  const int64_t depth = depth_of(key.name).value_or(is_of_first_rank ? -1 : last);
  return key.phase == trace::Phase::backward ? -depth : depth;
}

/// Returns the place of an input among inputs. Masks follow from documents, and these from tokens; the names
/// are those of parity-train and of the usual trainers.
size_t input_order(const trace::TensorKey& key) {
  constexpr std::array names = {"loaded",          "tokens",        "read/tokens",  "input_ids",
                                "labels",          "read/labels",   "targets",      "positions",
                                "read/positions",  "position_ids",  "document_ids", "first_keys",
                                "read/first_keys", "attention_mask"};
  if (key.phase != trace::Phase::input)
    return 0;
  return static_cast<size_t>(std::ranges::find_if(names,
                                                  [&](const char* name) {
                                                    return key.name == name ||
                                                           key.name.starts_with(name + std::string(".")) ||
                                                           key.name.starts_with(name + std::string("/"));
                                                  }) -
                             names.begin());
}

/// The pairs of ranks whose replicas differ, by tensor: higher rank, lower rank.
using SplitPairs = std::map<trace::TensorKey, std::set<std::pair<int64_t, int64_t>>>;

SplitPairs split_pairs(const trace::Trace& trace, int64_t step) {
  SplitPairs pairs;
  for (const trace::ReplicaDifference& each : trace.replica_differences())
    if (each.step == step && each.phase)
      pairs[{step, *each.phase, each.name}].insert(
          {std::max(each.rank, each.other), std::min(each.rank, each.other)});
  return pairs;
}

/// Returns the replicas of a tensor that differ on one side and not on the other; first the actual side's.
std::optional<SplitReplicas> split_of(const trace::TensorKey& key, const SplitPairs& expected,
                                      const SplitPairs& actual) {
  const auto first_alone = [&](const SplitPairs& mine, const SplitPairs& theirs,
                               bool of_expected) -> std::optional<SplitReplicas> {
    const auto own = mine.find(key), other = theirs.find(key);
    if (own == mine.end())
      return std::nullopt;
    for (const auto& pair : own->second)
      if (other == theirs.end() || !other->second.contains(pair))
        return SplitReplicas{of_expected, pair.first, pair.second};
    return std::nullopt;
  };
  const std::optional<SplitReplicas> of_actual = first_alone(actual, expected, false);
  return of_actual ? of_actual : first_alone(expected, actual, true);
}

bool are_same_ranks(const RankRows& a, const RankRows& b) {
  return std::ranges::equal(a, b, [](const trace::RankRow& x, const trace::RankRow& y) {
    return x.rank == y.rank && x.layout == y.layout;
  });
}

TensorStation compare(const trace::TensorKey& key, const trace::Trace& expected, const trace::Trace& actual) {
  TensorStation station;
  station.key = key;
  const RankRows &a = expected.rank_rows().at(key), &b = actual.rank_rows().at(key);
  const trace::SketchRow *whole_a = expected.find_sketch(key), *whole_b = actual.find_sketch(key);
  if (are_same_ranks(a, b)) {
    for (size_t i = 0; i < a.size(); ++i)
      if (a[i].digest != b[i].digest)
        station.ranks.push_back(a[i].rank);
    station.differs = !station.ranks.empty();
  } else if (whole_a != nullptr && whole_b != nullptr) {
    station.differs = whole_a->digest != whole_b->digest;
  }
  if (whole_a != nullptr && whole_b != nullptr) {
    station.dtype = whole_a->dtype;
    const double gap =
        tensor_distance(compare::tensor_source(expected, key), compare::tensor_source(actual, key));
    station.relative = whole_a->norm > 0 ? gap / whole_a->norm : gap;
  }
  return station;
}

/// Returns the tensor of the same side that an input must equal: what a resumed run had before it loaded, or
/// the update's own input before its rows and sequences were cut.
std::optional<trace::TensorKey> source_key(const trace::TensorKey& key) {
  constexpr std::string_view read = "read/";
  if (key.phase == trace::Phase::input && key.name.starts_with(read))
    return trace::TensorKey{key.step, key.phase, key.name.substr(read.size())};
  return trace::saved_key(key);
}

/// Returns a station for what a side loaded or cut; nothing if it equals its source, or that was not
/// recorded.
std::optional<TensorStation> changed_input(const trace::Trace& trace, const trace::TensorKey& key,
                                           bool of_expected) {
  const std::optional<trace::TensorKey> saved = source_key(key);
  const trace::SketchRow *now = trace.find_sketch(key), *before = saved ? trace.find_sketch(*saved) : nullptr;
  if (now == nullptr || before == nullptr || now->digest == before->digest)
    return std::nullopt;
  TensorStation station;
  station.key = key;
  station.dtype = now->dtype;
  station.differs = true;
  station.changed = ChangedState{of_expected, *saved};
  const double gap =
      tensor_distance(compare::tensor_source(trace, *saved), compare::tensor_source(trace, key));
  station.relative = before->norm > 0 ? gap / before->norm : gap;
  return station;
}

/// Returns whether both sides have a tensor, with the same bits.
bool agree(const trace::Trace& expected, const trace::Trace& actual, const trace::TensorKey& key) {
  const trace::SketchRow *a = expected.find_sketch(key), *b = actual.find_sketch(key);
  return a != nullptr && b != nullptr && a->digest == b->digest;
}

/// Puts stations for what one side loaded or cut wrongly in their causal places. What both sides changed in
/// the same way does not count.
void add_changed(TensorPath& path, const trace::Trace& expected, const trace::Trace& actual, int64_t step) {
  std::vector<TensorStation> changed;
  for (const bool of_expected : {true, false}) {
    const trace::Trace& side = of_expected ? expected : actual;
    for (const trace::TensorKey& key : in_order_of_computation(side, step))
      if (auto station = changed_input(side, key, of_expected); station && !agree(expected, actual, key))
        changed.push_back(std::move(*station));
  }
  const auto is_listed = [&](const TensorStation& each) {
    return std::ranges::find(changed, each.key, &TensorStation::key) != changed.end();
  };
  std::erase_if(path.stations, is_listed);
  path.stations.insert(path.stations.begin(), changed.begin(), changed.end());
  std::ranges::stable_sort(path.stations, {}, [](const TensorStation& station) {
    return std::pair(station.key.phase, input_order(station.key));
  });
}

}  // namespace

std::vector<trace::TensorKey> in_order_of_computation(const trace::Trace& trace, int64_t step) {
  std::vector<const std::pair<const trace::TensorKey, RankRows>*> entries;
  const std::map<trace::TensorKey, RankRows>& rows = trace.rank_rows();
  for (auto entry = rows.lower_bound({step, trace::Phase{}, ""});
       entry != rows.end() && entry->first.step == step; ++entry)
    if (!trace::parse_operator_tensor(entry->first.name) && !trace::is_saved(entry->first))
      entries.push_back(&*entry);
  const bool has_stages = trace.ranks() > 1 && std::ranges::any_of(entries, [&](const auto* entry) {
                            return static_cast<int64_t>(entry->second.size()) < trace.ranks();
                          });
  std::ranges::stable_sort(entries, {}, [&](const auto* entry) {
    return std::make_tuple(entry->first.phase, input_order(entry->first),
                           has_stages ? stage_order(entry->first, entry->second) : 0,
                           entry->second.front().order);
  });
  std::vector<trace::TensorKey> keys;
  for (const auto* entry : entries)
    keys.push_back(entry->first);
  return keys;
}

std::string describe(const trace::TensorKey& key) {
  return fmt::format("{} {} at step {}", name_of(key.phase), key.name, key.step);
}

TensorPath compare_path(const trace::Trace& expected, const trace::Trace& actual, int64_t step) {
  TensorPath path;
  const SplitPairs split_expected = split_pairs(expected, step), split_actual = split_pairs(actual, step);
  for (const trace::TensorKey& key : in_order_of_computation(expected, step))
    if (actual.rank_rows().contains(key)) {
      TensorStation station = compare(key, expected, actual);
      station.split = split_of(key, split_expected, split_actual);
      station.differs = station.differs || station.split;
      if (split_expected.contains(key) && split_actual.contains(key))
        path.split_on_both.push_back(key);
      path.stations.push_back(std::move(station));
    } else {
      path.only_in_expected.push_back(key);
    }
  for (const trace::TensorKey& key : in_order_of_computation(actual, step))
    if (!expected.rank_rows().contains(key))
      path.only_in_actual.push_back(key);
  add_changed(path, expected, actual, step);
  return path;
}

std::string SplitReplicas::text(const std::string& expected, const std::string& actual) const {
  return fmt::format("rank {} of {} differs from rank {}, although both must hold the same", rank,
                     of_expected ? expected : actual, other);
}

std::string ChangedState::text(const std::string& expected, const std::string& actual) const {
  const std::string& side = of_expected ? expected : actual;
  if (trace::is_saved(saved))
    return fmt::format("{} continues after update {} with another {} than it had", side, saved.step,
                       saved.name.substr(trace::saved_prefix.size()));
  if (saved.phase == trace::Phase::input && saved.name.starts_with("first_keys"))
    return fmt::format(
        "the model of {} attends under another mask than the update's rows have, once these are cut", side);
  if (saved.phase == trace::Phase::input)
    return fmt::format("the model of {} reads other {} than the update has, once rows and sequences are cut",
                       side, saved.name);
  return fmt::format("{} continues after update {} with another {} {} than it had", side, saved.step,
                     name_of(saved.phase), saved.name);
}

Json SplitReplicas::to_json() const {
  return {{"side", of_expected ? "expected" : "actual"}, {"rank", rank}, {"other", other}};
}

const TensorStation* TensorPath::first_difference(double beyond) const {
  const auto found = std::ranges::find_if(
      stations, [beyond](const TensorStation& each) { return each.differs_beyond(beyond); });
  return found == stations.end() ? nullptr : &*found;
}

const TensorStation* TensorPath::before(const TensorStation& of) const {
  const auto index = &of - stations.data();
  return index == 0 ? nullptr : &stations[static_cast<size_t>(index) - 1];
}

std::string TensorPath::lone_phase_text(const std::string& expected, const std::string& actual) const {
  const auto in_phase = [](trace::Phase phase) {
    return [phase](const trace::TensorKey& key) { return key.phase == phase; };
  };
  for (const bool of_expected : {true, false}) {
    const std::vector<trace::TensorKey>&own = of_expected ? only_in_expected : only_in_actual,
          &other = of_expected ? only_in_actual : only_in_expected;
    for (const trace::TensorKey& key : own) {
      const bool is_shared = std::ranges::any_of(stations, in_phase(key.phase), &TensorStation::key) ||
                             std::ranges::any_of(other, in_phase(key.phase));
      if (is_shared)
        continue;
      const std::string &side = of_expected ? expected : actual, &without = of_expected ? actual : expected;
      return fmt::format("{} has tensors in {} only ({}): {} {}, or did not record it", name_of(key.phase),
                         side, std::ranges::count_if(own, in_phase(key.phase)), without,
                         key.phase == trace::Phase::grad_clipped ? "does not clip" : "has none");
    }
  }
  return "";
}

size_t TensorPath::differing(double beyond) const {
  return static_cast<size_t>(std::ranges::count_if(
      stations, [beyond](const TensorStation& each) { return each.differs_beyond(beyond); }));
}

const TensorStation* TensorPath::amplifier(double floor) const {
  const TensorStation* most = nullptr;
  double largest = 0, amplification = 2;
  for (const TensorStation& station : stations) {
    const bool is_activation =
        station.key.phase == trace::Phase::forward || station.key.phase == trace::Phase::backward;
    if (!is_activation || !station.relative || !(*station.relative > 0))
      continue;
    if (largest > 0 && *station.relative / std::max(largest, floor) > amplification) {
      amplification = *station.relative / std::max(largest, floor);
      most = &station;
    }
    largest = std::max(largest, *station.relative);
  }
  return most;
}

Json TensorPath::to_json() const {
  Json all = Json::array();
  for (const TensorStation& station : stations)
    all.push_back({{"phase", name_of(station.key.phase)},
                   {"name", station.key.name},
                   {"differs", station.differs},
                   {"relative_l2", station.relative ? json_number(*station.relative) : Json()}});
  return all;
}

}  // namespace parity::bisect
