// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "harness/operators/exact/rows.hpp"

namespace parity::operators {

// Formulas of products: matrices, attention, experts; and the update of AdamW.

/// y = a b over the last two dimensions. a [..., m, k], b [k, n] or [..., k, n].
template <class T, class Base>
void matmul(Work<T, Base>& work) {
  const auto a = work.in("a"), b = work.in("b");
  const size_t m = a.size(-2), k = a.size(-1), n = b.size(-1);
  if (b.size(-2) != k)
    throw UserError(
        "the exact formula cannot multiply (the inner sizes differ); give a [.., m, k] and b [.., k, n]");
  Shape shape = a.shape();
  shape.back() = static_cast<int64_t>(n);
  const size_t y = work.output(shape);
  const size_t batches = m * k == 0 ? 0 : a.size() / (m * k);
  const bool shared = b.shape().size() == 2;
  for (size_t batch = 0; batch < batches; ++batch)
    for (size_t i = 0; i < m; ++i) {
      for (size_t j = 0; j < n; ++j)
        work.set(y, (batch * m + i) * n + j, sum_of<T>(k, [&](size_t l) {
                   return a[(batch * m + i) * k + l] * b[(shared ? 0 : batch * k * n) + l * n + j];
                 }));
      work.next();
    }
}

/// Rows of a times the matrix of their group. a [t, k], b [g, k, n], ends [g]: group i has the rows from
/// ends[i - 1] up to ends[i]. Rows beyond the last end are 0.
template <class T, class Base>
void grouped_matmul(Work<T, Base>& work) {
  const auto a = work.in("a"), b = work.in("b");
  const size_t rows = a.size(-2), k = a.size(-1), n = b.size(-1), groups = b.size(0);
  const size_t y = work.output({static_cast<int64_t>(rows), static_cast<int64_t>(n)});
  size_t row = 0;
  for (size_t group = 0; group < groups; ++group)
    for (; row < static_cast<size_t>(
                     std::clamp<int64_t>(work.integer("ends", group), 0, static_cast<int64_t>(rows)));
         ++row) {
      for (size_t j = 0; j < n; ++j)
        work.set(y, row * n + j,
                 sum_of<T>(k, [&](size_t l) { return a[row * k + l] * b[(group * k + l) * n + j]; }));
      work.next();
    }
}

/// softmax(q k^T * scale, over the keys that attend) v. q [b, h, s, d], k and v [b, h or fewer, s, d]; causal
/// (false), window (0: all; else the last so many keys), documents [b, s] (keys of the same document attend),
/// scale (1 / sqrt(d)). A query without any key gives 0.
template <class T, class Base>
void attention(Work<T, Base>& work) {
  const auto q = work.in("q"), k = work.in("k"), v = work.in("v");
  const size_t heads = q.size(1), s = q.size(2), d = q.size(3), keys = k.size(2), dv = v.size(3);
  const size_t sharing = heads / std::max<size_t>(1, k.size(1));
  Shape shape = q.shape();
  shape.back() = static_cast<int64_t>(dv);
  const size_t y = work.output(shape);
  const bool causal = work.option("causal", false);
  const auto window = static_cast<size_t>(work.option("window", int64_t{0}));
  const double given = work.option("scale", 0.0);
  const T scale = given != 0 ? T(static_cast<Base>(given)) : T(1) / sqrt(T(static_cast<Base>(d)));
  for (size_t row = 0; row < q.size(0) * heads * s; ++row) {
    const size_t batch = row / (heads * s), i = row % s;
    const size_t other = (batch * k.size(1) + row / s % heads / sharing) * keys;
    std::vector<size_t> attended;
    for (size_t j = 0; j < keys; ++j)
      if ((!causal || j <= i) && (window == 0 || i < j + window) &&
          (!work.has("documents") ||
           work.integer("documents", batch * s + i) == work.integer("documents", batch * s + j)))
        attended.push_back(j);
    std::vector<T> terms;
    for (const size_t j : attended)
      terms.push_back(sum_of<T>(d, [&](size_t l) { return q[row * d + l] * k[(other + j) * d + l]; }) *
                      scale);
    if (terms.empty())
      continue;
    const T shift(largest_of<T>(terms.size(), [&](size_t t) { return terms[t]; }));
    for (T& term : terms)
      term = exp(term - shift);
    const T total = sum_of<T>(terms.size(), [&](size_t t) { return terms[t]; });
    for (size_t l = 0; l < dv; ++l)
      work.set(y, row * dv + l, sum_of<T>(terms.size(), [&](size_t t) {
                                  return terms[t] * v[(other + attended[t]) * dv + l];
                                }) / total);
    work.next();
  }
}

/// One update of AdamW with decoupled decay: parameter, then both moments. parameter, gradient, first and
/// second (moments) of one shape; step (1), lr, beta1, beta2, eps, decay, eps_inside (false: sqrt(v) + eps).
template <class T, class Base>
void adamw(Work<T, Base>& work) {
  const auto p = work.in("parameter"), g = work.in("gradient"), m = work.in("first"), v = work.in("second");
  const auto number = [&](const char* name, double fallback) {
    return T(static_cast<Base>(work.option(name, fallback)));
  };
  const T lr = number("lr", 1e-3), b1 = number("beta1", 0.9), b2 = number("beta2", 0.999);
  const T eps = number("eps", 1e-8), decay = number("decay", 0.01);
  const bool inside = work.option("eps_inside", false);
  T power1(1), power2(1);
  for (int64_t i = 0; i < work.option("step", int64_t{1}); ++i) {
    power1 = power1 * b1;
    power2 = power2 * b2;
  }
  const size_t y = work.output(p.shape()), first = work.output(p.shape()), second = work.output(p.shape());
  for (size_t i = 0; i < p.size(); ++i) {
    const T m1 = b1 * m[i] + (T(1) - b1) * g[i], v1 = b2 * v[i] + (T(1) - b2) * g[i] * g[i];
    const T corrected = v1 / (T(1) - power2);
    const T root = inside ? sqrt(corrected + eps) : sqrt(corrected) + eps;
    work.set(y, i, p[i] - lr * decay * p[i] - lr * (m1 / (T(1) - power1)) / root);
    work.set(first, i, m1);
    work.set(second, i, v1);
    work.next();
  }
}

/// The softmax probabilities of the k largest logits of each row, and their experts. Of equal logits the
/// first counts as larger. logits [t, e]; k (1), normalise (false: as they are; true: divided by their sum).
template <class T, class Base>
void top_k_routing(Work<T, Base>& work) {
  const auto logits = work.in("logits");
  const size_t e = logits.size(-1), rows = e == 0 ? 0 : logits.size() / e;
  const auto k = static_cast<size_t>(work.option("k", int64_t{1}));
  if (k > e)
    throw UserError("the exact formula cannot take more experts than there are; lower k");
  const bool normalise = work.option("normalise", false);
  const Shape shape = {static_cast<int64_t>(rows), static_cast<int64_t>(k)};
  const size_t weights = work.output(shape), experts = work.output(shape);
  for (size_t row = 0; row < rows; ++row) {
    std::vector<size_t> order(e);
    for (size_t i = 0; i < e; ++i)
      order[i] = i;
    std::ranges::stable_sort(
        order, [&](size_t a, size_t b) { return plain(logits[row * e + a]) > plain(logits[row * e + b]); });
    const T shift(plain(logits[row * e + order[0]]));
    const size_t counted = normalise ? k : e;
    const T total = sum_of<T>(counted, [&](size_t i) { return exp(logits[row * e + order[i]] - shift); });
    for (size_t i = 0; i < k; ++i) {
      work.set(weights, row * k + i, exp(logits[row * e + order[i]] - shift) / total);
      work.set(experts, row * k + i, T(static_cast<Base>(order[i])));
    }
    work.next();
  }
}

}  // namespace parity::operators
