// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/laws/gradients/rank_terms.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <ranges>
#include <utility>

#include "harness/tensor/part.hpp"

namespace parity::laws {
namespace {

using trace::Phase;
using trace::RankRow;
using trace::TensorKey;

using Ranges = std::vector<std::vector<IndexRange>>;
/// Ranks that hold terms of the same elements, one rank a term.
using DeclaredTerms = std::map<Ranges, std::map<std::vector<int64_t>, int64_t>>;
/// Rows of ranks that hold the same elements, none of them as a term; no ranges for a whole tensor.
using Holders = std::map<Ranges, std::map<int64_t, const RankRow*>>;

const std::vector<RankRow>& rows_of(const RecordedRun& run, const TensorKey& key) {
  static const std::vector<RankRow> none;
  const auto found = run.trace().rank_rows().find(key);
  return found == run.trace().rank_rows().end() ? none : found->second;
}

DeclaredTerms declared_terms(const std::vector<RankRow>& rows) {
  DeclaredTerms groups;
  for (const RankRow& row : rows)
    if (row.layout) {
      const PartCover cover = cover_of(*row.layout);
      if (!cover.term.empty())
        groups[cover.ranges].emplace(cover.term, row.rank);
    }
  return groups;
}

Holders holders_of(const std::vector<RankRow>& rows) {
  Holders holders;
  for (const RankRow& row : rows) {
    const PartCover cover = row.layout ? cover_of(*row.layout) : PartCover{};
    if (cover.term.empty())
      holders[cover.ranges][row.rank] = &row;
  }
  return holders;
}

bool have_equal_bits(const std::map<int64_t, const RankRow*>& rows) {
  return std::ranges::all_of(
      rows, [&](const auto& each) { return each.second->digest == rows.begin()->second->digest; });
}

/// Returns whether each rank uses the very gradient that it computed.
bool use_their_own(const std::map<int64_t, const RankRow*>& computed,
                   const std::map<int64_t, const RankRow*>& used) {
  return std::ranges::all_of(computed, [&](const auto& each) {
    const auto found = used.find(each.first);
    return found != used.end() && found->second->digest == each.second->digest;
  });
}

void sort_tensor(const RecordedRun& run, const TensorKey& reduced, SharedGradients& shared) {
  const TensorKey local{reduced.step, Phase::grad_local, reduced.name};
  const std::vector<RankRow>&before = rows_of(run, local), &after = rows_of(run, reduced);
  shared.all_whole = shared.all_whole && static_cast<int64_t>(after.size()) == run.trace().ranks() &&
                     std::ranges::none_of(after, [](const RankRow& row) { return row.layout.has_value(); });
  if (!declared_terms(before).empty())
    return;
  const Holders computed = holders_of(before), used = holders_of(after);
  for (const auto& [ranges, rows] : used) {
    if (rows.size() < 2)
      continue;
    const auto found = computed.find(ranges);
    const bool is_complete = found != computed.end() && std::ranges::all_of(rows, [&](const auto& each) {
                               return found->second.contains(each.first);
                             });
    if (!is_complete)
      shared.unread.insert(reduced.name);
    else if (have_equal_bits(found->second))
      shared.equal.insert(reduced.name);
    else
      (use_their_own(found->second, rows) ? shared.own : shared.reduced).insert(reduced.name);
  }
}

/// Reads a gradient before and after its reduction on each of some ranks; nothing if a rank lacks one of
/// them.
template <class Ranks>
std::optional<SumTerms> read_terms(const RecordedRun& run, const TensorKey& local, const Ranks& ranks) {
  const TensorKey reduced{local.step, Phase::grad, local.name};
  SumTerms terms{.name = local.name, .one = "rank", .many = "ranks", .roundoff = run.roundoff(reduced)};
  for (const int64_t rank : ranks) {
    const auto before = run.trace().rank_tensor(local, rank), after = run.trace().rank_tensor(reduced, rank);
    if (!before || !after || before->size() != after->size())
      return std::nullopt;
    terms.of.push_back({.number = rank});
    terms.terms.push_back(widened(*before));
    terms.sums.push_back({rank, widened(*after)});
  }
  return terms;
}

}  // namespace

std::vector<SumTerms> terms_of_ranks(const RecordedRun& run, int64_t step) {
  std::vector<SumTerms> list;
  for (const std::string& name : run.names(step, Phase::grad)) {
    const TensorKey local{step, Phase::grad_local, name};
    for (const auto& [ranges, ranks] : declared_terms(rows_of(run, local))) {
      if (auto terms = read_terms(run, local, std::views::values(ranks)); terms && terms->of.size() > 1)
        list.push_back(std::move(*terms));
    }
  }
  return list;
}

SharedGradients shared_gradients(const RecordedRun& run) {
  SharedGradients shared;
  if (run.trace().ranks() < 2)
    return shared;
  for (const int64_t step : run.steps())
    for (const std::string& name : run.names(step, Phase::grad))
      sort_tensor(run, {step, Phase::grad, name}, shared);
  for (const std::string& name : shared.reduced)
    shared.own.erase(name);
  for (const std::set<std::string>* known : {&shared.reduced, &shared.own})
    for (const std::string& name : *known)
      shared.equal.erase(name);
  return shared;
}

std::vector<SumTerms> undeclared_terms_of_ranks(const RecordedRun& run, int64_t step,
                                                SharedGradients& shared) {
  std::vector<SumTerms> list;
  for (const std::string& name : run.names(step, Phase::grad)) {
    const TensorKey local{step, Phase::grad_local, name}, reduced{step, Phase::grad, name};
    if (!shared.reduced.contains(name) || !declared_terms(rows_of(run, local)).empty())
      continue;
    const Holders computed = holders_of(rows_of(run, local)), used = holders_of(rows_of(run, reduced));
    for (const auto& [ranges, rows] : computed) {
      const auto found = used.find(ranges);
      if (rows.size() < 2 || found == used.end() || have_equal_bits(rows))
        continue;
      if (auto terms = read_terms(run, local, std::views::keys(rows)))
        list.push_back(std::move(*terms));
      else
        shared.unread.insert(name);
    }
  }
  return list;
}

}  // namespace parity::laws
