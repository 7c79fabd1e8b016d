// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/train/numerics/common_order.hpp"

#include <array>
#include <string_view>

#include "reference/model/decoder/attention.hpp"
#include "reference/model/decoder/rope.hpp"

namespace parity::reference {
namespace {

constexpr std::string_view fused = "attention.wqkv.weight";
constexpr std::array<std::string_view, 3> apart = {"attention.wq.weight", "attention.wk.weight",
                                                   "attention.wv.weight"};

bool permutes(const std::string& name, const ModelDimensions& dimensions) {
  return dimensions.rope_weights == RopeWeights::permuted &&
         (name.ends_with(apart[0]) || name.ends_with(apart[1]));
}

/// Returns the names of the three parts of a fused weight.
std::array<std::string, 3> names_apart(const std::string& name) {
  const std::string prefix = name.substr(0, name.size() - fused.size());
  return {prefix + std::string(apart[0]), prefix + std::string(apart[1]), prefix + std::string(apart[2])};
}

int64_t sharing(const ModelDimensions& dimensions) {
  return dimensions.n_heads / dimensions.n_kv_heads;
}

}  // namespace

bool has_own_order(const std::string& name, const ModelDimensions& dimensions) {
  return name.ends_with(fused) || permutes(name, dimensions);
}

NamedTensors in_common_order(const std::string& name, const torch::Tensor& whole,
                             const ModelDimensions& dimensions) {
  if (permutes(name, dimensions))
    return {{name, permuted_for_complex(whole, dimensions.head_dim())}};
  if (!name.ends_with(fused))
    return {{name, whole}};
  NamedTensors parts;
  const auto rows = split_rows(whole, 0, dimensions.head_dim(), sharing(dimensions));
  const std::array<std::string, 3> names = names_apart(name);
  for (size_t i = 0; i < rows.size(); ++i)
    parts.push_back(in_common_order(names[i], rows[i].contiguous(), dimensions).front());
  return parts;
}

torch::Tensor in_own_order(const std::string& name, at::IntArrayRef shape, const ModelDimensions& dimensions,
                           const DrawnTensor& drawn) {
  if (permutes(name, dimensions))
    return permuted_for_rotate_half(drawn(name, shape), dimensions.head_dim());
  if (!name.ends_with(fused))
    return drawn(name, shape);
  const std::array<std::string, 3> names = names_apart(name);
  const int64_t d = dimensions.head_dim(), D = shape[1], H = dimensions.n_heads * d,
                K = dimensions.n_kv_heads * d;
  const auto part = [&](size_t i, int64_t rows) {
    const std::array<int64_t, 2> own = {rows, D};
    return in_own_order(names[i], own, dimensions, drawn);
  };
  return fused_rows(part(0, H), part(1, K), part(2, K), d);
}

}  // namespace parity::reference
