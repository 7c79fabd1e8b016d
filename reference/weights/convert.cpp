// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/weights/convert.hpp"

#include <array>

#include "harness/base/error.hpp"
#include "reference/model/decoder/attention.hpp"
#include "reference/model/decoder/rope.hpp"

namespace parity::reference {
namespace {

using Tensors = std::vector<torch::Tensor>;

/// Whether own rows are converted to saved ones, or back.
enum class Way { out, back };

void turn_rows(const NameRule& rule, Way way, int64_t head_dim, Tensors& own) {
  if (rule.rows == RowOrder::same)
    return;
  const bool to_halves = (rule.rows == RowOrder::saved_halves) == (way == Way::out);
  const size_t turned = rule.conversion == Conversion::qkv ? 2 : 1;  // not the values
  for (size_t i = 0; i < turned; ++i)
    own[i] = to_halves ? permuted_for_rotate_half(own[i], head_dim) : permuted_for_complex(own[i], head_dim);
}

/// Returns q, k and v separately.
Tensors apart(const Tensors& qkv, const ModelDimensions& d) {
  if (qkv.size() > 1)
    return qkv;
  const std::array<torch::Tensor, 3> parts = split_rows(qkv[0], 0, d.head_dim(), d.n_heads / d.n_kv_heads);
  return {parts.begin(), parts.end()};
}

Tensors as_named(const Tensors& qkv, size_t names, const ModelDimensions& d) {
  return names == 1 ? Tensors{fused_rows(qkv[0], qkv[1], qkv[2], d.head_dim())} : qkv;
}

/// Returns the rows of q, k and v, which follow each other.
Tensors rows_apart(const torch::Tensor& joined, const ModelDimensions& d) {
  const int64_t q = d.n_heads * d.head_dim(), k = d.n_kv_heads * d.head_dim();
  return joined.split_with_sizes({q, k, k}, 0);
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
    case Conversion::joined:
      return {torch::cat(turned, 0)};
    case Conversion::joined_transposed:
      return {torch::cat(turned, 0).transpose(0, 1)};
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
    case Conversion::joined:
      own = rows_apart(saved[0], dimensions);
      break;
    case Conversion::joined_transposed:
      own = rows_apart(saved[0].transpose(0, 1), dimensions);
      break;
  }
  turn_rows(rule, Way::back, dimensions.head_dim(), own);
  return rule.conversion == Conversion::qkv ? as_named(own, rule.own.size(), dimensions) : own;
}

}  // namespace parity::reference
