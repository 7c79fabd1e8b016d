// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/laws/gradients/sum_terms.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "harness/laws/run/rounding.hpp"
#include "harness/tensor/conversions.hpp"
#include "harness/tensor/part.hpp"
#include "harness/trace/format/micro_batch_tensor.hpp"

namespace parity::laws {
namespace {

using trace::Phase;
using trace::TensorKey;

std::vector<double> widened(const TensorView& view) {
  std::vector<double> wide(static_cast<size_t>(view.size()));
  for (size_t i = 0; i < wide.size(); ++i)
    wide[i] = widen(view.dtype, view.raw().data() + i * size_of(view.dtype));
  return wide;
}

/// Ranks that hold terms of the same elements, one rank a term.
using Groups = std::map<std::vector<std::vector<IndexRange>>, std::map<std::vector<int64_t>, int64_t>>;

Groups groups_of(const std::vector<trace::RankRow>& rows) {
  Groups groups;
  for (const trace::RankRow& row : rows)
    if (row.layout) {
      const PartCover cover = cover_of(*row.layout);
      if (!cover.term.empty())
        groups[cover.ranges].emplace(cover.term, row.rank);
    }
  return groups;
}

/// The recorded micro-batches of a step, by rank and parameter.
using MicroBatches = std::map<std::pair<int64_t, std::string>, std::set<int64_t>>;

MicroBatches micro_batches_of(const trace::Trace& trace, int64_t step) {
  MicroBatches found;
  const auto& rows = trace.rank_rows();
  for (auto entry = rows.lower_bound({step, Phase::grad_local, ""});
       entry != rows.end() && entry->first.step == step && entry->first.phase == Phase::grad_local; ++entry)
    if (const auto tensor = trace::parse_micro_batch_tensor(entry->first.name))
      for (const trace::RankRow& row : entry->second)
        found[{row.rank, tensor->parameter}].insert(tensor->number);
  return found;
}

/// Returns the gradient of a rank before any reduction over ranks. A run of one rank has none.
std::optional<TensorView> local_gradient(const trace::Trace& trace, int64_t step, const std::string& name,
                                         int64_t rank) {
  if (auto local = trace.rank_tensor({step, Phase::grad_local, name}, rank))
    return local;
  return trace.ranks() == 1 ? trace.rank_tensor({step, Phase::grad, name}, rank) : std::nullopt;
}

}  // namespace

std::vector<SumTerms> terms_of_ranks(const RecordedRun& run, int64_t step) {
  std::vector<SumTerms> list;
  for (const std::string& name : run.names(step, Phase::grad)) {
    const TensorKey local{step, Phase::grad_local, name}, reduced{step, Phase::grad, name};
    const auto rows = run.trace().rank_rows().find(local);
    if (rows == run.trace().rank_rows().end())
      continue;
    for (const auto& [ranges, ranks] : groups_of(rows->second)) {
      SumTerms terms{.name = name, .one = "rank", .many = "ranks", .roundoff = run.roundoff(reduced)};
      for (const auto& [term, rank] : ranks) {
        const auto before = run.trace().rank_tensor(local, rank),
                   after = run.trace().rank_tensor(reduced, rank);
        if (!before || !after || before->size() != after->size())
          continue;
        terms.numbers.push_back(rank);
        terms.terms.push_back(widened(*before));
        terms.sums.push_back({rank, widened(*after)});
      }
      if (terms.numbers.size() > 1 && terms.numbers.size() == ranks.size())
        list.push_back(std::move(terms));
    }
  }
  return list;
}

std::vector<SumTerms> terms_of_micro_batches(const RecordedRun& run, int64_t step,
                                             std::set<std::string>& left_out) {
  const trace::Trace& trace = run.trace();
  const MicroBatches recorded = micro_batches_of(trace, step);
  std::set<int64_t> all;
  for (const auto& [place, numbers] : recorded)
    all.insert(numbers.begin(), numbers.end());
  std::vector<SumTerms> list;
  for (const auto& [place, numbers] : recorded) {
    const auto& [rank, name] = place;
    const auto sum = local_gradient(trace, step, name, rank);
    if (!sum || numbers != all) {
      left_out.insert(name);
      continue;
    }
    SumTerms terms{.name = name,
                   .one = "micro-batch",
                   .many = "micro-batches",
                   .sums = {{rank, widened(*sum)}},
                   .roundoff = unit_roundoff(sum->dtype)};
    for (const int64_t number : numbers) {
      const auto own =
          trace.rank_tensor({step, Phase::grad_local, trace::micro_batch_tensor(name, number)}, rank);
      if (own && own->size() == sum->size()) {
        terms.numbers.push_back(number);
        terms.terms.push_back(widened(*own));
      }
    }
    if (terms.numbers.size() == all.size())
      list.push_back(std::move(terms));
    else
      left_out.insert(name);
  }
  return list;
}

}  // namespace parity::laws
