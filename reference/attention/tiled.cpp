// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/attention/tiled.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <ATen/Dispatch.h>
#include <ATen/OpMathType.h>
#include <torch/autograd.h>

#include "harness/base/error.hpp"
#include "reference/exact/exact.hpp"

// Shapes: H query heads on K key heads, G = H / K. T tokens; d is the width of a head's query and key, e that
// of its value. A segment has n queries on m keys.

namespace parity::reference {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr int64_t tile = 16;

/// [heads, rows, width], each row contiguous.
template <class T>
struct Heads {
  T* data;
  int64_t head_stride, row_stride, count, width;

  explicit Heads(const torch::Tensor& x_HTd)
      : data(x_HTd.data_ptr<std::remove_const_t<T>>()),
        head_stride(x_HTd.stride(0)),
        row_stride(x_HTd.stride(1)),
        count(x_HTd.size(0)),
        width(x_HTd.size(2)) {}
  T* row(int64_t head, int64_t place) const { return data + head * head_stride + place * row_stride; }
};

/// A query's softmax over the keys that it has seen.
template <class A>
struct Running {
  A max = -std::numeric_limits<A>::infinity();
  A sum = 0;
};

/// Sixteen keys and their values. Keys are stored by element, so that a query's products with all of them are
/// one loop.
template <class A>
struct Tile {
  std::vector<A> k_dN, v_Ne;

  template <class T>
  void load(const Heads<T>& k, const Heads<T>& v, int64_t head, int64_t first, int64_t count) {
    k_dN.assign(static_cast<size_t>(k.width * tile), A(0));
    v_Ne.resize(static_cast<size_t>(tile * v.width));
    for (int64_t j = 0; j < count; ++j) {
      const T *key = k.row(head, first + j), *value = v.row(head, first + j);
      for (int64_t c = 0; c < k.width; ++c)
        k_dN[static_cast<size_t>(c * tile + j)] = static_cast<A>(key[c]);
      for (int64_t c = 0; c < v.width; ++c)
        v_Ne[static_cast<size_t>(j * v.width + c)] = static_cast<A>(value[c]);
    }
  }

  /// Adds keys [first, end) of the tile to a query's softmax.
  /// \param sum_e  values times weights so far
  template <class T>
  void add_to(Running<A>& running, A* sum_e, const T* q_d, A scale, int64_t first, int64_t end) const {
    const auto d = static_cast<int64_t>(k_dN.size()) / tile, e = static_cast<int64_t>(v_Ne.size()) / tile;
    std::array<A, tile> scores{};
    for (int64_t c = 0; c < d; ++c) {
      const A element = static_cast<A>(q_d[c]);
      const A* keys = &k_dN[static_cast<size_t>(c * tile)];
      for (size_t j = 0; j < tile; ++j)
        scores[j] += element * keys[j];
    }
    A max = running.max;
    for (int64_t j = first; j < end; ++j) {
      A& score = scores[static_cast<size_t>(j)];
      score *= scale;
      max = std::max(max, score);
    }
    const A shrink = std::exp(running.max - max);
    running = {max, running.sum * shrink};
    for (int64_t c = 0; c < e; ++c)
      sum_e[c] *= shrink;
    for (int64_t j = first; j < end; ++j) {
      const A weight = std::exp(scores[static_cast<size_t>(j)] - max);
      const A* value = &v_Ne[static_cast<size_t>(j * e)];
      running.sum += weight;
      for (int64_t c = 0; c < e; ++c)
        sum_e[c] += weight * value[c];
    }
  }
};

/// The data that queries of one segment and one key head share.
struct Places {
  Segment segment;
  int64_t window;

  int64_t position(int64_t query) const { return segment.keys.count - segment.queries.count + query; }
  int64_t first_key(int64_t query) const {
    return window == 0 ? 0 : std::max<int64_t>(position(query) - window + 1, 0);
  }
};

template <class T>
void attend_head(const Heads<const T>& q, const Heads<const T>& k, const Heads<const T>& v,
                 const Heads<T>& out, const Places& places, int64_t key_head, double scale) {
  using A = at::opmath_type<T>;
  const auto [queries, keys] = places.segment;
  const int64_t sharing = q.count / k.count, e = v.width;
  std::vector<Running<A>> running(static_cast<size_t>(sharing * queries.count));
  std::vector<A> sums(running.size() * static_cast<size_t>(e), A(0));
  Tile<A> loaded;
  for (int64_t begin = 0; begin < keys.count; begin += tile) {
    const int64_t count = std::min(tile, keys.count - begin);
    loaded.load(k, v, key_head, keys.begin + begin, count);
    for (int64_t i = 0; i < sharing * queries.count; ++i) {
      const int64_t query = i % queries.count;
      const int64_t first = std::max<int64_t>(places.first_key(query) - begin, 0);
      const int64_t end = std::min(count, places.position(query) + 1 - begin);
      if (first < end)
        loaded.add_to(running[static_cast<size_t>(i)], &sums[static_cast<size_t>(i * e)],
                      q.row(key_head * sharing + i / queries.count, queries.begin + query),
                      static_cast<A>(scale), first, end);
    }
  }
  for (int64_t i = 0; i < sharing * queries.count; ++i) {
    T* row = out.row(key_head * sharing + i / queries.count, queries.begin + i % queries.count);
    for (int64_t c = 0; c < e; ++c)
      row[c] = static_cast<T>(sums[static_cast<size_t>(i * e + c)] / running[static_cast<size_t>(i)].sum);
  }
}

/// Returns [B, H, S, d] as [H, B S, d], each row contiguous.
torch::Tensor rows_in_one_piece(const torch::Tensor& x_BHSd) {
  const torch::Tensor x_HTd = x_BHSd.transpose(0, 1).flatten(1, 2);
  return x_HTd.stride(2) == 1 ? x_HTd : x_HTd.contiguous();
}

/// The data that decides which pairs attend; the graph keeps it.
struct Pairs : torch::CustomClassHolder {
  Pairs(std::vector<Segment> all, int64_t keys, std::optional<double> factor)
      : segments(std::move(all)), window(keys), scale(factor) {}

  std::vector<Segment> segments;
  int64_t window;
  std::optional<double> scale;
};

torch::Tensor forward_of(const torch::Tensor& q_BHSd, const torch::Tensor& k_BKSd,
                         const torch::Tensor& v_BKSe, const Pairs& pairs) {
  const torch::Tensor q_HTd = rows_in_one_piece(q_BHSd), k_KTd = rows_in_one_piece(k_BKSd),
                      v_KTe = rows_in_one_piece(v_BKSe);
  const torch::Tensor out_HTe = torch::empty({q_HTd.size(0), q_HTd.size(1), v_KTe.size(2)}, q_HTd.options());
  const double scale = pairs.scale.value_or(1 / std::sqrt(static_cast<double>(q_HTd.size(2))));
  AT_DISPATCH_FLOATING_TYPES_AND(at::kBFloat16, q_HTd.scalar_type(), "tiled_attention", [&] {
    const Heads<const scalar_t> q(q_HTd), k(k_KTd), v(v_KTe);
    const Heads<scalar_t> out(out_HTe);
    for (const Segment& segment : pairs.segments)
      for (int64_t head = 0; head < k.count; ++head)
        attend_head<scalar_t>(q, k, v, out, {segment, pairs.window}, head, scale);
  });
  return out_HTe.unflatten(1, torch::IntArrayRef{q_BHSd.size(0), q_BHSd.size(2)}).transpose(0, 1);
}

struct TiledAttention : torch::autograd::Function<TiledAttention> {
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& q_BHSd,
                               const torch::Tensor& k_BKSd, const torch::Tensor& v_BKSe,
                               const c10::intrusive_ptr<Pairs>& pairs) {
    context->save_for_backward({q_BHSd, k_BKSd, v_BKSe});
    context->saved_data["pairs"] = c10::IValue::make_capsule(pairs);
    return exact::computed_as(forward_of(q_BHSd, k_BKSd, v_BKSe, *pairs), [&] {
      return varlen_attention(q_BHSd, k_BKSd, v_BKSe, pairs->segments, pairs->window, pairs->scale);
    });
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto held = context->saved_data["pairs"].toCapsule();
    const auto& pairs = static_cast<const Pairs&>(*held);
    variable_list inputs;
    for (const torch::Tensor& saved : context->get_saved_variables())
      inputs.push_back(saved.detach().requires_grad_());
    const at::AutoGradMode again(true);
    const torch::Tensor out =
        varlen_attention(inputs[0], inputs[1], inputs[2], pairs.segments, pairs.window, pairs.scale);
    variable_list result = torch::autograd::grad({out}, inputs, {gradients[0]});
    result.emplace_back();
    return result;
  }
};

}  // namespace

torch::Tensor tiled_attention(const torch::Tensor& q_BHSd, const torch::Tensor& k_BKSd,
                              const torch::Tensor& v_BKSe, const std::vector<Segment>& segments,
                              int64_t sliding_window, std::optional<double> scale) {
  require(q_BHSd.device().is_cpu(), "tiled attention of tensors of a device");
  return TiledAttention::apply(q_BHSd, k_BKSd, v_BKSe,
                               c10::make_intrusive<Pairs>(segments, sliding_window, scale));
}

}  // namespace parity::reference
