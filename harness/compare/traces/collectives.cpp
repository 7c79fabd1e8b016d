// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/traces/collectives.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/enum_names.hpp"
#include "harness/compare/text/wording.hpp"
#include "harness/trace/format/operator_tensor.hpp"

namespace parity::compare {
namespace {

/// One rank's checksum before or after a collective.
struct Checksum {
  int64_t step = 0;
  trace::Phase phase = trace::Phase::grad;
  trace::OperatorTensor tensor;
  int64_t order = 0;  ///< execution order on that rank
  bool differs = false;
  int64_t sequence = 0;  ///< among the rank's collectives of this kind, group and step

  /// Returns what identifies the collective on all ranks that take part.
  auto collective() const { return std::tuple(step, tensor.op, sequence); }
};

/// Returns the checksums that both runs recorded, by rank in order of execution.
std::map<int64_t, std::vector<Checksum>> checksums_of(const trace::Trace& expected,
                                                      const trace::Trace& actual) {
  std::map<int64_t, std::vector<Checksum>> all;
  for (const auto& [key, rows] : expected.rank_rows()) {
    const auto tensor = trace::parse_operator_tensor(key.name);
    const auto other = actual.rank_rows().find(key);
    if (!tensor || tensor->module != collective_module || !tensor->rank || rows.empty() ||
        other == actual.rank_rows().end() || other->second.empty())
      continue;
    all[*tensor->rank].push_back({key.step, key.phase, *tensor, rows.front().order,
                                  rows.front().digest != other->second.front().digest});
  }
  for (auto& [rank, list] : all) {
    std::ranges::stable_sort(list, {},
                             [](const Checksum& each) { return std::tuple(each.step, each.order); });
    std::map<std::tuple<int64_t, std::string, bool>, int64_t> counts;
    for (Checksum& each : list)
      each.sequence = counts[{each.step, each.tensor.op, each.tensor.is_output()}]++;
  }
  return all;
}

/// Returns whether a message that was received may be one that was sent otherwise. Messages of one group are
/// not distinguished.
bool may_be_of(const Checksum& received, const Checksum& sent) {
  constexpr std::string_view receive = "receive over ", send = "send over ";
  return received.step == sent.step && received.tensor.op.starts_with(receive) &&
         sent.tensor.op.starts_with(send);
}

bool was_sent_otherwise(const std::map<int64_t, std::vector<Checksum>>& all, const Checksum& received) {
  return std::ranges::any_of(all, [&](const auto& entry) {
    return std::ranges::any_of(entry.second, [&](const Checksum& each) {
      return each.differs && !each.tensor.is_output() &&
             (each.collective() == received.collective() || may_be_of(received, each));
    });
  });
}

}  // namespace

std::string CollectiveFinding::text() const {
  std::vector<std::string> names;
  for (const int64_t rank : ranks)
    names.push_back(std::to_string(rank));
  const std::string who = (ranks.size() == 1 ? "rank " : "ranks ") + list_text(names);
  if (place == Place::compute)
    return fmt::format("compute, not wire: {} put other bytes into {} at step {}, after receiving the same",
                       who, what, step);
  return fmt::format(
      "wire, not compute: every rank put the same bytes into {} at step {}, but {} received others{}", what,
      step, who,
      all_ranks && ranks.size() > 1 ? ", so bytes changed in a send buffer or on the way out of it" : "");
}

std::optional<CollectiveFinding> find_wire_or_compute(const trace::Trace& expected,
                                                      const trace::Trace& actual) {
  const std::map<int64_t, std::vector<Checksum>> all = checksums_of(expected, actual);
  std::map<int64_t, const Checksum*> first;
  for (const auto& [rank, list] : all)
    if (const auto found = std::ranges::find(list, true, &Checksum::differs); found != list.end())
      first[rank] = &*found;
  const Checksum* earliest = nullptr;
  const auto is_cause = [&](const Checksum& each) {
    return !each.tensor.is_output() || !was_sent_otherwise(all, each);
  };
  for (const auto& [rank, checksum] : first)
    if (is_cause(*checksum) && (!earliest || std::tuple(checksum->step, checksum->order) <
                                                 std::tuple(earliest->step, earliest->order)))
      earliest = checksum;
  if (!earliest)
    return std::nullopt;
  CollectiveFinding finding;
  finding.place =
      earliest->tensor.is_output() ? CollectiveFinding::Place::wire : CollectiveFinding::Place::compute;
  finding.step = earliest->step;
  finding.what = fmt::format("{} (call {} of the update, in {})", earliest->tensor.op, earliest->sequence + 1,
                             name_of(earliest->phase));
  size_t took_part = 0;
  for (const auto& [rank, list] : all)
    took_part += std::ranges::any_of(list, [&](const Checksum& each) {
      return each.tensor.is_output() && each.collective() == earliest->collective();
    });
  for (const auto& [rank, checksum] : first)
    if (checksum->collective() == earliest->collective() &&
        checksum->tensor.is_output() == earliest->tensor.is_output())
      finding.ranks.push_back(rank);
  finding.all_ranks = finding.ranks.size() == took_part;
  return finding;
}

}  // namespace parity::compare
