// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "harness/compare/text/wording.hpp"
#include "harness/explain/joined_inputs.hpp"
#include "harness/explain/topic.hpp"

namespace parity::explain {
namespace {

using trace::Phase;

/// What identifies the batch of each update.
using Batches = std::map<int64_t, std::string>;

/// Returns the channel batch_digest; of several ranks that record their own, the values of all. Leaves out
/// updates at which it is 0: the recorder saw no input.
Batches digests_of(const Recipe& recipe) {
  Batches found;
  std::set<int64_t> unseen;
  const auto add = [&](const compare::Series& series, const std::string& rank) {
    for (size_t i = 0; i < series.size(); ++i)
      if (series.text(i) == "0")
        unseen.insert(series.steps[i]);
      else
        found[series.steps[i]] += rank + series.text(i);
  };
  const std::vector<int64_t>& steps = recipe.run().steps();
  for (const auto& [rank, channels] : recipe.trace().rank_channels())
    if (const auto own = channels.find("batch_digest");
        own != channels.end() && own->second.kind == trace::ChannelKind::per_rank)
      add(compare::series_of(own->second, steps, steps), fmt::format(" {}=", rank));
  if (const auto series = recipe.channel("batch_digest"); series && found.empty() && unseen.empty())
    add(*series, "");
  for (const int64_t step : unseen)
    found.erase(step);
  return found;
}

/// Returns the update of `batches` that reads a batch; "no update" if none does.
std::string reader_of(const Batches& batches, const std::string& batch) {
  for (const auto& [step, other] : batches)
    if (other == batch)
      return fmt::format("update {}", step);
  return "no update";
}

/// \param joined  whether the batches are rows of all ranks and micro-batches
void compare_order(Finding& found, const Batches& first, const Batches& second, bool joined = false) {
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
    found.same.push_back(fmt::format("batches of {}, in order{}", compare::count_text(shared, "update"),
                                     joined ? ", their rows joined over ranks and micro-batches" : ""));
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

/// Compares the rows of batches that the runs cut otherwise over ranks or micro-batches.
void compare_rows(Finding& found, const Recipe& first, const Recipe& second,
                  const std::map<int64_t, Inputs>& a, const std::map<int64_t, Inputs>& b,
                  const std::set<std::string>& names) {
  Batches rows, other_rows;
  const auto add = [&](const Recipe& recipe, const std::map<int64_t, Inputs>& all, Batches& batches) {
    for (const auto& [step, inputs] : all)
      if (const auto identity = identity_of_rows(recipe, inputs, names))
        batches[step] = *identity;
    return batches.size() == all.size();
  };
  const Inputs &sample = a.begin()->second, &other = b.begin()->second;
  if (do_rows_join(sample, other, names) && add(first, a, rows) && add(second, b, other_rows))
    compare_order(found, rows, other_rows, true);
  else
    found.unknown.push_back(
        "batches (recorded apart for each rank or micro-batch, in parts that do not join; record the values "
        "of the phase input, whole sequences in each row)");
}

/// Compares the inputs of both runs. \return whether both recorded any of the same name
bool compare_inputs(Finding& found, const Recipe& first, const Recipe& second) {
  std::map<int64_t, Inputs> a = inputs_of(first), b = inputs_of(second);
  if (a.empty() || b.empty())
    return false;
  std::set<std::string> names, left_out;
  for (const auto* all : {&a, &b})
    for (const auto& [step, inputs] : *all)
      for (const auto& [name, pieces] : inputs)
        names.insert(name);
  for (const auto* all : {&a, &b})
    for (const auto& [step, inputs] : *all)
      for (const std::string& name : names)
        if (!inputs.contains(name))
          left_out.insert(name);
  for (const std::string& name : left_out)
    names.erase(name);
  if (names.empty())
    return false;
  if (!left_out.empty())
    found.unknown.push_back(
        fmt::format("inputs {} (not recorded by both at each of the updates)", fmt::join(left_out, ", ")));
  const bool alike = std::ranges::all_of(a, [&](const auto& item) {
    const auto other = b.find(item.first);
    return other == b.end() || are_cut_alike(item.second, other->second, names);
  });
  if (!alike) {
    compare_rows(found, first, second, a, b, names);
    return true;
  }
  Batches pieces, other_pieces;
  for (const auto& [step, inputs] : a)
    pieces[step] = identity_of(inputs, names);
  for (const auto& [step, inputs] : b)
    other_pieces[step] = identity_of(inputs, names);
  compare_order(found, pieces, other_pieces);
  return true;
}

/// Returns whether the digests of two runs may differ though their rows do not: the recorder of Python makes
/// one of each rank, and in the order of its micro-batches.
bool do_digests_depend_on_cut(const Recipe& first, const Recipe& second) {
  const auto of_ranks = [](const Recipe& recipe) {
    const auto& ranks = recipe.trace().rank_channels();
    return std::ranges::any_of(ranks, [](const auto& rank) {
      const auto own = rank.second.find("batch_digest");
      return own != rank.second.end() && own->second.kind == trace::ChannelKind::per_rank;
    });
  };
  const bool counted =
      first.recorded().contains("micro_batches") && second.recorded().contains("micro_batches");
  return (counted && first.micro_batches() != second.micro_batches()) ||
         ((of_ranks(first) || of_ranks(second)) && first.trace().ranks() != second.trace().ranks());
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
  const Batches a = digests_of(first), b = digests_of(second);
  const bool has_digests = !a.empty() && !b.empty();
  const char* const cut = "batch_digest depends on ranks and micro-batches, in which the runs differ";
  if (has_digests && (a == b || !do_digests_depend_on_cut(first, second)))
    compare_order(found, a, b);
  else if (!compare_inputs(found, first, second))
    found.unknown.push_back(has_digests ? fmt::format("batches ({}; record the phase input)", cut)
                                        : "batches (record the channel batch_digest, or the phase input)");
  else if (has_digests && inputs_of(first).size() < own)
    found.unknown.push_back(fmt::format("batches of updates whose inputs were not recorded ({})", cut));
  return found;
}

}  // namespace parity::explain
