// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/laws/gradients/sum_terms.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "harness/laws/run/rounding.hpp"
#include "harness/tensor/conversions.hpp"
#include "harness/trace/format/micro_batch_tensor.hpp"

namespace parity::laws {
namespace {

using trace::Phase;
using trace::TensorKey;

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

}  // namespace

std::vector<double> widened(const TensorView& view) {
  std::vector<double> wide(static_cast<size_t>(view.size()));
  for (size_t i = 0; i < wide.size(); ++i)
    wide[i] = widen(view.dtype, view.raw().data() + i * size_of(view.dtype));
  return wide;
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

std::vector<SumTerms> reduced_in_each_pass(const RecordedRun& run, int64_t step,
                                           const std::vector<SumTerms>& micro_batches) {
  std::vector<SumTerms> list;
  for (const SumTerms& own : micro_batches) {
    SumTerms terms{.name = own.name,
                   .one = own.one,
                   .many = own.many,
                   .numbers = {own.numbers.back()},
                   .terms = {own.terms.back()},
                   .sums = own.sums,
                   .roundoff = own.roundoff};
    const auto earlier = own.numbers.size() - 1;
    for (size_t k = 0; k < earlier; ++k) {
      const TensorKey key{step, Phase::grad_local, trace::micro_batch_tensor(own.name, own.numbers[k])};
      std::vector<std::vector<double>> of_ranks = terms_on_all_ranks(run.trace(), key, own.terms[k].size());
      if (of_ranks.size() < 2)
        break;
      for (std::vector<double>& values : of_ranks) {
        for (double& value : values)
          value /= static_cast<double>(of_ranks.size());
        terms.numbers.push_back(own.numbers[k]);
        terms.terms.push_back(std::move(values));
      }
    }
    if (earlier > 0 && terms.terms.size() > 2 * earlier)
      list.push_back(std::move(terms));
  }
  return list;
}

}  // namespace parity::laws
