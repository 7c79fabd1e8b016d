// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/laws/gradients/micro_batch_terms.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "harness/laws/run/rounding.hpp"
#include "harness/tensor/part.hpp"
#include "harness/trace/format/micro_batch_tensor.hpp"

namespace parity::laws {
namespace {

using trace::Phase;
using trace::TensorKey;

/// Number and part of a micro-batch.
using Passes = std::set<std::pair<int64_t, int64_t>>;
/// The recorded micro-batches of a step, by rank and parameter.
using MicroBatches = std::map<std::pair<int64_t, std::string>, Passes>;

MicroBatches micro_batches_of(const trace::Trace& trace, int64_t step) {
  MicroBatches found;
  const auto& rows = trace.rank_rows();
  for (auto entry = rows.lower_bound({step, Phase::grad_local, ""});
       entry != rows.end() && entry->first.step == step && entry->first.phase == Phase::grad_local; ++entry)
    if (const auto tensor = trace::parse_micro_batch_tensor(entry->first.name))
      for (const trace::RankRow& row : entry->second)
        found[{row.rank, tensor->parameter}].emplace(tensor->number, tensor->part);
  return found;
}

std::set<int64_t> numbers_of(const Passes& passes) {
  std::set<int64_t> numbers;
  for (const auto& [number, part] : passes)
    numbers.insert(number);
  return numbers;
}

/// Returns the numbers of all micro-batches of a step.
std::set<int64_t> all_numbers(const MicroBatches& recorded) {
  std::set<int64_t> all;
  for (const auto& [place, passes] : recorded)
    all.merge(numbers_of(passes));
  return all;
}

/// Adds the gradients of a rank's micro-batches to the terms. \return whether all have `size` elements
bool add_terms(SumTerms& terms, const trace::Trace& trace, int64_t step, int64_t rank, const Passes& passes,
               int64_t size, bool is_one_of_several) {
  for (const auto& [number, part] : passes) {
    const auto own = trace.rank_tensor(
        {step, Phase::grad_local, trace::micro_batch_tensor(terms.name, number, part)}, rank);
    if (!own || own->size() != size)
      return false;
    terms.of.push_back({number, part, is_one_of_several ? rank : -1});
    terms.terms.push_back(widened(*own));
  }
  return true;
}

/// Returns the gradient of a rank before any reduction over ranks. A run of one rank has none.
std::optional<TensorView> local_gradient(const trace::Trace& trace, int64_t step, const std::string& name,
                                         int64_t rank) {
  if (auto local = trace.rank_tensor({step, Phase::grad_local, name}, rank))
    return local;
  return trace.ranks() == 1 ? trace.rank_tensor({step, Phase::grad, name}, rank) : std::nullopt;
}

/// Returns what each rank has of a tensor; nothing if some rank has a part of another size.
std::vector<std::vector<double>> terms_on_all_ranks(const trace::Trace& trace, const TensorKey& key,
                                                    size_t size) {
  std::vector<std::vector<double>> list;
  for (const trace::RankRow& row : trace.rank_rows().at(key)) {
    const auto values = trace.rank_tensor(key, row.rank);
    if (!values || static_cast<size_t>(values->size()) != size)
      return {};
    list.push_back(widened(*values));
  }
  return list;
}

using Ranges = std::vector<std::vector<IndexRange>>;

/// The rows of one part of a logical tensor, each the term of a sum.
struct PartTerms {
  std::map<std::vector<int64_t>, const trace::RankRow*> rows;  ///< by the coordinates of the term
  size_t wanted = 1;                                           ///< number of terms
  bool is_clear = true;  ///< whether ranks with one term have the same bits
};

/// Returns the parts of a logical tensor that ranks computed, each with the ranks of its terms: one rank, if
/// nothing sums it over ranks. Leaves out a part of which a rank is missing.
std::map<Ranges, std::vector<int64_t>> summed_parts(const trace::Trace& trace, const TensorKey& micro_batch) {
  std::map<Ranges, PartTerms> found;
  const std::vector<trace::RankRow>& rows = trace.rank_rows().at(micro_batch);
  if (rows.size() == 1 && !rows.front().layout)
    return {{{}, {rows.front().rank}}};
  for (const trace::RankRow& row : rows) {
    if (!row.layout)
      return {};
    const PartCover cover = cover_of(*row.layout);
    PartTerms& part = found[cover.ranges];
    part.wanted = 1;
    for (const Placement& placement : row.layout->placements)
      if (std::holds_alternative<Partial>(placement.kind))
        part.wanted *= static_cast<size_t>(placement.size);
    const auto [first, is_new] = part.rows.emplace(cover.term, &row);
    part.is_clear = part.is_clear && (is_new || first->second->digest == row.digest);
  }
  std::map<Ranges, std::vector<int64_t>> parts;
  for (const auto& [ranges, part] : found)
    if (part.is_clear && part.rows.size() == part.wanted)
      for (const auto& [coordinates, row] : part.rows)
        parts[ranges].push_back(row->rank);
  return parts;
}

/// Returns the elements of a part of a logical tensor, of all of it without ranges; none if the trace does
/// not have all their values.
std::vector<double> part_of(const trace::Trace& trace, const TensorKey& key, const Ranges& ranges) {
  if (!trace.has_tensor(key))
    return {};
  const TensorView whole = trace.tensor(key);
  std::vector<double> all = widened(whole), part;
  if (ranges.empty())
    return all;
  for_each_run({ranges, {}}, whole.shape, [&](const PartRun& run) {
    part.insert(part.end(), all.begin() + run.global, all.begin() + run.global + run.count);
  });
  return part;
}

}  // namespace

std::vector<SumTerms> terms_of_micro_batches(const RecordedRun& run, int64_t step,
                                             std::set<std::string>& left_out) {
  const trace::Trace& trace = run.trace();
  const MicroBatches recorded = micro_batches_of(trace, step);
  const std::set<int64_t> all = all_numbers(recorded);
  std::vector<SumTerms> list;
  for (const auto& [place, passes] : recorded) {
    const auto& [rank, name] = place;
    const auto sum = local_gradient(trace, step, name, rank);
    if (!sum || numbers_of(passes) != all) {
      left_out.insert(name);
      continue;
    }
    SumTerms terms{.name = name,
                   .one = "micro-batch",
                   .many = "micro-batches",
                   .sums = {{rank, widened(*sum)}},
                   .roundoff = unit_roundoff(sum->dtype)};
    if (add_terms(terms, trace, step, rank, passes, sum->size(), false))
      list.push_back(std::move(terms));
    else
      left_out.insert(name);
  }
  return list;
}

std::vector<SumTerms> terms_of_all_micro_batches(const RecordedRun& run, int64_t step,
                                                 std::set<std::string>& left_out) {
  const trace::Trace& trace = run.trace();
  const MicroBatches recorded = micro_batches_of(trace, step);
  const std::set<int64_t> all = all_numbers(recorded);
  std::map<std::string, std::map<int64_t, Passes>> by_name;
  for (const auto& [place, passes] : recorded)
    if (trace.ranks() > 1 && !local_gradient(trace, step, place.second, place.first))
      by_name[place.second][place.first] = passes;
  std::vector<SumTerms> list;
  for (const auto& [name, ranks] : by_name) {
    const TensorKey reduced{step, Phase::grad, name};
    const size_t before = list.size();
    const auto& [number, part] = *ranks.begin()->second.begin();
    const TensorKey first{step, Phase::grad_local, trace::micro_batch_tensor(name, number, part)};
    for (const auto& [ranges, owners] : summed_parts(trace, first)) {
      const std::vector<double> sum = part_of(trace, reduced, ranges);
      SumTerms terms{.name = name,
                     .one = "micro-batch",
                     .many = "micro-batches",
                     .sums = {{-1, sum}},
                     .roundoff = run.roundoff(reduced)};
      const bool is_complete = !sum.empty() && std::ranges::all_of(owners, [&](int64_t rank) {
        const auto passes = ranks.find(rank);
        return passes != ranks.end() && numbers_of(passes->second) == all &&
               add_terms(terms, trace, step, rank, passes->second, static_cast<int64_t>(sum.size()), true);
      });
      if (is_complete)
        list.push_back(std::move(terms));
    }
    if (list.size() > before)
      left_out.erase(name);
  }
  return list;
}

std::vector<SumTerms> reduced_in_each_pass(const RecordedRun& run, int64_t step,
                                           const std::vector<SumTerms>& micro_batches) {
  std::vector<SumTerms> list;
  for (const SumTerms& own : micro_batches) {
    SumTerms terms{.name = own.name,
                   .one = own.one,
                   .many = own.many,
                   .of = {own.of.back()},
                   .terms = {own.terms.back()},
                   .sums = own.sums,
                   .roundoff = own.roundoff};
    const auto earlier = own.of.size() - 1;
    for (size_t k = 0; k < earlier; ++k) {
      const TensorKey key{step, Phase::grad_local,
                          trace::micro_batch_tensor(own.name, own.of[k].number, own.of[k].part)};
      std::vector<std::vector<double>> of_ranks = terms_on_all_ranks(run.trace(), key, own.terms[k].size());
      if (of_ranks.size() < 2)
        break;
      for (std::vector<double>& values : of_ranks) {
        for (double& value : values)
          value /= static_cast<double>(of_ranks.size());
        terms.of.push_back(own.of[k]);
        terms.terms.push_back(std::move(values));
      }
    }
    if (earlier > 0 && terms.terms.size() > 2 * earlier)
      list.push_back(std::move(terms));
  }
  return list;
}

}  // namespace parity::laws
