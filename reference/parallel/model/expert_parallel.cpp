// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/parallel/model/expert_parallel.hpp"

#include <map>
#include <numeric>
#include <string>

#include "reference/parallel/core/parts.hpp"

namespace parity::reference {
namespace {

using Counts = std::vector<int64_t>;

/// Returns the sums of runs of `length` numbers.
Counts sums_of_runs(const Counts& counts, size_t length) {
  Counts sums;
  for (auto run = counts.begin(); run != counts.end(); run += static_cast<std::ptrdiff_t>(length))
    sums.push_back(std::accumulate(run, run + static_cast<std::ptrdiff_t>(length), int64_t{0}));
  return sums;
}

/// Returns how many rows each rank sends to each expert of this rank, by rank, then by expert.
Counts received_counts(const Counts& tokens, const Group& ranks) {
  const Counts each(static_cast<size_t>(ranks.size()), static_cast<int64_t>(tokens.size()) / ranks.size());
  const torch::Tensor received = ranks.all_to_all(torch::tensor(tokens, torch::kInt64), each, each);
  const auto* const first = received.const_data_ptr<int64_t>();
  return {first, first + received.numel()};
}

/// Returns the order of rows by expert and then by rank, as indices of rows by rank and then by expert.
torch::Tensor by_expert(const Counts& received, size_t experts) {
  Counts begins(received.size());
  std::exclusive_scan(received.begin(), received.end(), begins.begin(), int64_t{0});
  Counts places;
  for (size_t expert = 0; expert < experts; ++expert)
    for (size_t run = expert; run < received.size(); run += experts)
      for (int64_t i = 0; i < received[run]; ++i)
        places.push_back(begins[run] + i);
  return torch::tensor(places, torch::kInt64);
}

Counts totals_of_experts(const Counts& received, size_t experts) {
  Counts totals(experts);
  for (size_t run = 0; run < received.size(); ++run)
    totals[run % experts] += received[run];
  return totals;
}

torch::Tensor through_ranks(const torch::Tensor& x_ND, const Counts& tokens, const ExpertRunner& own,
                            const GroupPointer& ranks) {
  const size_t experts = tokens.size() / static_cast<size_t>(ranks->size());
  const Counts received = received_counts(tokens, *ranks);
  const Counts sent_rows = sums_of_runs(tokens, experts), received_rows = sums_of_runs(received, experts);
  const torch::Tensor order = by_expert(received, experts).to(x_ND.device());
  const torch::Tensor x_RD = exchange_rows(x_ND, sent_rows, received_rows, ranks).index({order});
  const torch::Tensor y_RD = own(x_RD, totals_of_experts(received, experts));
  return exchange_rows(y_RD.index({at::argsort(order)}), received_rows, sent_rows, ranks);
}

}  // namespace

Parameters apply_expert_parallel(Decoder& model, const Parameters& parameters, const GroupPointer& ranks,
                                 const std::vector<MeshPlace>& places) {
  if (ranks->size() == 1)
    return parameters;
  std::map<std::string, torch::Tensor> own;
  Parameters parts = parameters;
  for (Parameter& parameter : parts) {
    if (!is_expert(parameter.name))
      continue;
    const torch::Tensor whole = parameter.value.detach();
    parameter.layout = sharded_over(parameter.layout, whole, 0, places, *ranks);
    parameter.value = own_part(whole, 0, *ranks).clone(at::MemoryFormat::Contiguous).requires_grad_();
    own[parameter.name] = parameter.value;
  }
  model.visit_weights([&own](const std::string& name, torch::Tensor& weight) {
    const auto found = own.find(name);
    if (found == own.end())
      return;
    weight.set_data(torch::empty({0}, weight.options().requires_grad(false)));
    weight = found->second;
  });
  model.moe_pass().dispatch = [ranks](const torch::Tensor& x_ND, const Counts& tokens,
                                      const ExpertRunner& run) {
    return through_ranks(x_ND, tokens, run, ranks);
  };
  return parts;
}

}  // namespace parity::reference
