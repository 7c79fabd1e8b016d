// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/train/step/qk_clip.hpp"

#include <limits>
#include <map>

#include "harness/base/error.hpp"
#include "reference/model/decoder/qk_rows.hpp"
#include "reference/parallel/core/layout.hpp"

namespace parity::reference {
namespace {

/// Returns the largest logits of all blocks over the ranks, [L, H] float64; -infinity where a block has none.
torch::Tensor take_largest(const Decoder& model, const Group& world) {
  const ModelDimensions& d = model.dimensions();
  const torch::Tensor largest =
      at::full({d.n_layers, d.n_heads}, -std::numeric_limits<double>::infinity(), torch::kFloat64);
  for (const auto& [layer, tally] : model.logit_tallies()) {
    if (tally->largest_H.defined())
      largest[layer].copy_(tally->largest_H);
    tally->clear();
  }
  if (world.size() > 1)
    world.all_reduce(largest, Reduction::max);
  return largest;
}

/// Multiplies the rows of a shard by the factors that it has of them.
void scale_rows(const Parameter& parameter, const torch::Tensor& factors_R) {
  torch::Tensor value = parameter.value.detach();
  const TensorLayout& layout = parameter.layout;
  const torch::Tensor own = layout.global_shape.empty()
                                ? factors_R
                                : factors_R.index_select(0, held_indices(layout, layout.global_shape)[0]);
  value.mul_(own.to(value.options()).unsqueeze(1));
}

}  // namespace

QkClipResult clip_queries_and_keys(const Decoder& model, const Parameters& parameters,
                                   const OptimizerConfig& config, bool clips, const Group& world) {
  const torch::NoGradGuard no_grad;
  const ModelDimensions& d = model.dimensions();
  torch::Tensor largest_LH = take_largest(model, world);
  QkClipResult result;
  result.largest_logit = largest_LH.max().item<double>();
  if (!clips)
    return result;
  if (config.qk_clip_scope == QkClipScope::layer)
    largest_LH = largest_LH.amax(1, /*keepdim=*/true).expand_as(largest_LH);
  // A maximum below tau, which may be negative, scales nothing.
  const torch::Tensor exceeds_LH = largest_LH.gt(config.qk_clip);
  const torch::Tensor gamma_LH =
      at::where(exceeds_LH, config.qk_clip / largest_LH, at::ones_like(largest_LH));
  result.clipped_heads = exceeds_LH.sum().item<int64_t>();
  std::map<std::string, const Parameter*> by_name;
  for (const Parameter& parameter : parameters)
    by_name[parameter.name] = &parameter;
  for (const auto& [layer, tally] : model.logit_tallies())
    for (const RowFactors& rows : qk_row_factors(d, layer, gamma_LH[layer]))
      if (const auto found = by_name.find(rows.weight); found != by_name.end())  // others: of other stages
        scale_rows(*found->second, rows.factors_R);
  return result;
}

}  // namespace parity::reference
