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

/// Adds the gradients of a rank's micro-batches to the terms. The parts of one micro-batch may be added in
/// their own, narrower type first. \return whether all have `size` elements
bool add_terms(SumTerms& terms, const trace::Trace& trace, int64_t step, int64_t rank, const Passes& passes,
               int64_t size, bool is_one_of_several) {
  for (const auto& [number, part] : passes) {
    const auto own = trace.rank_tensor(
        {step, Phase::grad_local, trace::micro_batch_tensor(terms.name, number, part)}, rank);
    if (!own || own->size() != size)
      return false;
    if (part > 0)
      terms.roundoff = std::max(terms.roundoff, unit_roundoff(own->dtype));
    terms.of.push_back({number, part, is_one_of_several ? rank : -1});
    terms.terms.push_back(widened(*own));
  }
  return true;
}

/// Notes the tensors with a gradient of which no micro-batch was recorded.
void add_unrecorded(const RecordedRun& run, int64_t step, const MicroBatches& recorded, Unsummed& left_out) {
  std::set<std::string> names;
  for (const auto& [place, passes] : recorded)
    names.insert(place.second);
  for (const std::string& name : run.names(step, Phase::grad))
    if (!recorded.empty() && !names.contains(name))
      left_out.emplace(step, name);
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

/// The ranks that computed one part of a logical tensor, each a term of its gradient.
struct PartTerms {
  std::map<std::vector<int64_t>, int64_t> ranks;  ///< by the coordinates of the term
  size_t wanted = 1;                              ///< number of terms
  bool is_clear = true;                           ///< whether ranks with one term have the same bits
};

/// Adds what ranks recorded of one pass. \return whether their layouts say what they have
bool add_pass(std::map<Ranges, PartTerms>& found, const std::vector<trace::RankRow>& rows,
              const Shape& whole) {
  if (rows.size() == 1 && !rows.front().layout) {
    found[{}].ranks.emplace(std::vector<int64_t>(), rows.front().rank);
    return true;
  }
  std::map<std::pair<Ranges, std::vector<int64_t>>, const trace::RankRow*> first;
  for (const trace::RankRow& row : rows) {
    if (!row.layout || row.layout->global_shape != whole)
      return false;
    PartCover cover = cover_of(*row.layout);
    PartTerms& part = found[cover.ranges];
    part.wanted = 1;
    for (const Placement& placement : row.layout->placements)
      if (std::holds_alternative<Partial>(placement.kind))
        part.wanted *= static_cast<size_t>(placement.size);
    part.ranks.emplace(cover.term, row.rank);
    const auto [same, is_new] =
        first.emplace(std::pair(std::move(cover.ranges), std::move(cover.term)), &row);
    part.is_clear = part.is_clear && (is_new || same->second->digest == row.digest);
  }
  return true;
}

/// The ranks of the terms of each part of a logical tensor.
struct SummedParts {
  std::map<Ranges, std::vector<int64_t>> ranks;  ///< one rank, if nothing sums the part over ranks
  bool are_all = true;                           ///< whether no part was left out
};

/// Returns the parts of a logical tensor that ranks computed. Leaves out a part of which a rank is missing,
/// or of which ranks have other terms than their layouts say.
SummedParts summed_parts(const trace::Trace& trace, int64_t step, const std::string& name,
                         const Passes& passes, const Shape& whole) {
  std::map<Ranges, PartTerms> found;
  for (const auto& [number, part] : passes) {
    const auto rows =
        trace.rank_rows().find({step, Phase::grad_local, trace::micro_batch_tensor(name, number, part)});
    if (rows == trace.rank_rows().end() || !add_pass(found, rows->second, whole))
      return {{}, false};
  }
  SummedParts parts;
  for (const auto& [ranges, part] : found)
    if (part.is_clear && part.ranks.size() == part.wanted)
      for (const auto& [coordinates, rank] : part.ranks)
        parts.ranks[ranges].push_back(rank);
    else
      parts.are_all = false;
  return parts;
}

/// Returns the elements of a part of a logical tensor, of all of it without ranges.
std::vector<double> part_of(const TensorView& whole, const Ranges& ranges) {
  std::vector<double> all = widened(whole), part;
  if (ranges.empty())
    return all;
  for_each_run({ranges, {}}, whole.shape, [&](const PartRun& run) {
    part.insert(part.end(), all.begin() + run.global, all.begin() + run.global + run.count);
  });
  return part;
}

}  // namespace

std::vector<SumTerms> terms_of_micro_batches(const RecordedRun& run, int64_t step, Unsummed& left_out) {
  const trace::Trace& trace = run.trace();
  const MicroBatches recorded = micro_batches_of(trace, step);
  const std::set<int64_t> all = all_numbers(recorded);
  add_unrecorded(run, step, recorded, left_out);
  std::vector<SumTerms> list;
  for (const auto& [place, passes] : recorded) {
    const auto& [rank, name] = place;
    const auto sum = local_gradient(trace, step, name, rank);
    if (!sum || numbers_of(passes) != all) {
      left_out.emplace(step, name);
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
      left_out.emplace(step, name);
  }
  return list;
}

std::vector<SumTerms> terms_of_all_micro_batches(const RecordedRun& run, int64_t step, Unsummed& left_out) {
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
    if (!trace.has_tensor(reduced))
      continue;
    const TensorView whole = trace.tensor(reduced);
    const SummedParts parts = summed_parts(trace, step, name, ranks.begin()->second, whole.shape);
    bool is_complete = parts.are_all;
    for (const auto& [ranges, owners] : parts.ranks) {
      SumTerms terms{.name = name,
                     .one = "micro-batch",
                     .many = "micro-batches",
                     .sums = {{-1, part_of(whole, ranges)}},
                     .roundoff = run.roundoff(reduced)};
      const auto size = static_cast<int64_t>(terms.sums.front().values.size());
      const bool has_all = std::ranges::all_of(owners, [&](int64_t rank) {
        const auto passes = ranks.find(rank);
        return passes != ranks.end() && numbers_of(passes->second) == all &&
               add_terms(terms, trace, step, rank, passes->second, size, true);
      });
      if (has_all)
        list.push_back(std::move(terms));
      is_complete = is_complete && has_all;
    }
    if (is_complete)
      left_out.erase({step, name});
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
