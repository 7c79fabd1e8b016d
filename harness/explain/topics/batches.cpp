// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "harness/compare/text/wording.hpp"
#include "harness/explain/topic.hpp"

namespace parity::explain {
namespace {

using trace::Phase;

/// What identifies the batch of each update.
using Batches = std::map<int64_t, std::string>;

/// Returns the channel batch_digest, else the digests of the recorded inputs.
Batches batches_of(const Recipe& recipe, bool by_channel) {
  Batches found;
  if (by_channel) {
    if (const auto series = recipe.channel("batch_digest"))
      for (size_t i = 0; i < series->size(); ++i)
        found[series->steps[i]] = series->text(i);
    return found;
  }
  for (const trace::SketchRow& row : recipe.trace().sketches())
    if (row.key.phase == Phase::input && row.key.step > 0 && !row.key.name.starts_with("loaded/") &&
        row.key.name.find('@') == std::string::npos)
      found[row.key.step] += fmt::format("{}={} ", row.key.name, measure::to_string(row.digest));
  return found;
}

/// Returns the update of `batches` that reads a batch; "no update" if none does.
std::string reader_of(const Batches& batches, const std::string& batch) {
  for (const auto& [step, other] : batches)
    if (other == batch)
      return fmt::format("update {}", step);
  return "no update";
}

void compare_order(Finding& found, const Batches& first, const Batches& second) {
  size_t shared = 0, differing = 0;
  std::optional<int64_t> step;
  for (const auto& [at, batch] : first) {
    const auto other = second.find(at);
    if (other == second.end())
      continue;
    ++shared;
    if (batch == other->second)
      continue;
    ++differing;
    if (!step)
      step = at;
  }
  if (shared == 0) {
    found.unknown.push_back("batches (no update was recorded by both)");
    return;
  }
  if (differing == 0) {
    found.same.push_back(fmt::format("batches of {}, in order", compare::count_text(shared, "update")));
    return;
  }
  std::vector<std::string> a, b;
  for (const auto& [at, batch] : first)
    a.push_back(batch);
  for (const auto& [at, batch] : second)
    b.push_back(batch);
  std::ranges::sort(a);
  std::ranges::sort(b);
  Row row{fmt::format("batches, from update {} on ({} of {} differ)", *step, differing, shared),
          "",
          "",
          "",
          {"data."}};
  row.first = fmt::format("read by {} of the second", reader_of(second, first.at(*step)));
  row.second = fmt::format("read by {} of the first", reader_of(first, second.at(*step)));
  if (a == b)
    row.why = "the same batches in another order";
  found.rows.push_back(row);
}

/// Returns "4096", or "from 3900 to 4096" if it changes.
std::string range_of(const std::optional<compare::Series>& series) {
  if (!series || series->size() == 0)
    return "";
  size_t low = 0, high = 0;
  for (size_t i = 1; i < series->size(); ++i) {
    if (series->widened(i) < series->widened(low))
      low = i;
    if (series->widened(i) > series->widened(high))
      high = i;
  }
  return low == high ? series->text(low)
                     : fmt::format("from {} to {}", series->text(low), series->text(high));
}

}  // namespace

Finding compare_batches(const Recipe& first, const Recipe& second) {
  Finding found;
  const size_t own = first.run().steps().size(), their = second.run().steps().size();
  if (own != their)
    found.rows.push_back({"updates", std::to_string(own), std::to_string(their), "", {"steps"}});
  for (const char* name : {"valid_tokens", "tokens", "num_tokens", "ntokens"}) {
    const auto a = first.channel(name), b = second.channel(name);
    if (a || b)
      found.compare(fmt::format("{} of an update", name), range_of(a), range_of(b),
                    fmt::format("the channel {}", name), {"data.", "loss."});
  }
  found.compare("micro-batches of an update", first.micro_batches(), second.micro_batches(),
                "by a recorder of this version", {"data.micro_batches"});
  for (const bool by_channel : {true, false}) {
    const Batches a = batches_of(first, by_channel), b = batches_of(second, by_channel);
    if (!a.empty() && !b.empty()) {
      compare_order(found, a, b);
      return found;
    }
  }
  found.unknown.push_back("batches (record the channel batch_digest, or the phase input)");
  return found;
}

}  // namespace parity::explain
