// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/weights/convert.hpp"

#include "harness/base/error.hpp"
#include "reference/model/decoder/rope.hpp"

namespace parity::reference {
namespace {

using Tensors = std::vector<torch::Tensor>;

/// Own rows as saved ones, or back.
enum class Way { out, back };

void turn_rows(const NameRule& rule, Way way, int64_t head_dim, Tensors& own) {
  if (rule.rows == RowOrder::same)
    return;
  const bool to_halves = (rule.rows == RowOrder::saved_halves) == (way == Way::out);
  const size_t turned = rule.conversion == Conversion::qkv ? 2 : 1;  // not the values
  for (size_t i = 0; i < turned; ++i)
    own[i] = to_halves ? permuted_for_rotate_half(own[i], head_dim) : permuted_for_complex(own[i], head_dim);
}

torch::Tensor fused_qkv(const Tensors& qkv, const ModelDimensions& d) {
  const int64_t shared = d.n_heads / d.n_kv_heads, width = d.head_dim();
  const auto grouped = [&](const torch::Tensor& weight, int64_t heads) {
    return weight.unflatten(0, torch::IntArrayRef{d.n_kv_heads, heads, width});
  };
  return torch::cat({grouped(qkv[0], shared), grouped(qkv[1], 1), grouped(qkv[2], 1)}, 1).flatten(0, 2);
}

Tensors split_qkv(const torch::Tensor& fused, const ModelDimensions& d) {
  const int64_t shared = d.n_heads / d.n_kv_heads;
  const torch::Tensor groups = fused.unflatten(0, torch::IntArrayRef{d.n_kv_heads, shared + 2, d.head_dim()});
  return {groups.narrow(1, 0, shared).flatten(0, 2), groups.select(1, shared).flatten(0, 1),
          groups.select(1, shared + 1).flatten(0, 1)};
}

/// q, k and v, in one where a side has one name for them.
Tensors apart(const Tensors& qkv, const ModelDimensions& d) {
  return qkv.size() == 1 ? split_qkv(qkv[0], d) : qkv;
}

Tensors as_named(const Tensors& qkv, size_t names, const ModelDimensions& d) {
  return names == 1 ? Tensors{fused_qkv(qkv, d)} : qkv;
}

}  // namespace

std::vector<torch::Tensor> to_saved(const NameRule& rule, const std::vector<torch::Tensor>& own,
                                    const ModelDimensions& dimensions) {
  require(own.size() == rule.own.size(), "another number of tensors than the rule has names");
  Tensors turned = rule.conversion == Conversion::qkv ? apart(own, dimensions) : own;
  turn_rows(rule, Way::out, dimensions.head_dim(), turned);
  switch (rule.conversion) {
    case Conversion::as_is:
      return turned;
    case Conversion::transposed:
      return {turned[0].transpose(-1, -2)};
    case Conversion::unstacked:
      return turned[0].unbind(0);
    case Conversion::gate_up:
      return {torch::cat({turned[0].transpose(-1, -2), turned[1].transpose(-1, -2)}, -1)};
    case Conversion::qkv:
      return as_named(turned, rule.saved.size(), dimensions);
  }
  throw InternalError("to_saved: conversion " + std::to_string(static_cast<int>(rule.conversion)));
}

std::vector<torch::Tensor> to_own(const NameRule& rule, const std::vector<torch::Tensor>& saved,
                                  const ModelDimensions& dimensions) {
  require(saved.size() == rule.saved.size(), "another number of tensors than the rule has names");
  Tensors own = saved;
  switch (rule.conversion) {
    case Conversion::as_is:
      break;
    case Conversion::transposed:
      own = {saved[0].transpose(-1, -2)};
      break;
    case Conversion::unstacked:
      own = {torch::stack(saved, 0)};
      break;
    case Conversion::gate_up:
      own = saved[0].transpose(-1, -2).chunk(2, -2);
      break;
    case Conversion::qkv:
      own = apart(saved, dimensions);
      break;
  }
  turn_rows(rule, Way::back, dimensions.head_dim(), own);
  return rule.conversion == Conversion::qkv ? as_named(own, rule.own.size(), dimensions) : own;
}

}  // namespace parity::reference
