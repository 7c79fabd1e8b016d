// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "harness/operators/exact/work.hpp"

namespace parity::operators {

// Formulas over rows: normalisation, softmax, loss, rotation, gates, reductions.

/// Returns the sum of x[first], ..., from left to right.
template <class T, class Get>
T sum_of(size_t count, const Get& get) {
  T sum(0);
  for (size_t i = 0; i < count; ++i)
    sum = sum + get(i);
  return sum;
}

/// Returns the largest of the values, without history: exp(x - largest) does not overflow, and the shift
/// cancels.
template <class T, class Get>
auto largest_of(size_t count, const Get& get) {
  auto largest = plain(get(0));
  for (size_t i = 1; i < count; ++i)
    largest = std::max(largest, plain(get(i)));
  return largest;
}

/// y = x / sqrt(mean(x^2) + eps) * weight. x [..., d], weight [d] or none, eps (1e-6).
template <class T, class Base>
void rms_norm(Work<T, Base>& work) {
  const auto x = work.in("x");
  const size_t d = x.size(-1), y = work.output(x.shape());
  const bool weighted = work.has("weight");
  const T eps(static_cast<Base>(work.option("eps", 1e-6)));
  for (size_t row = 0; row + d <= x.size() && d > 0; row += d) {
    const T squares = sum_of<T>(d, [&](size_t i) { return x[row + i] * x[row + i]; });
    const T root = sqrt(squares / T(static_cast<Base>(d)) + eps);
    for (size_t i = 0; i < d; ++i)
      work.set(y, row + i, weighted ? x[row + i] / root * work.in("weight")[i] : x[row + i] / root);
    work.next();
  }
}

/// y = exp(x - max) / sum(exp(x - max)) over the last dimension. x [..., d].
template <class T, class Base>
void softmax(Work<T, Base>& work) {
  const auto x = work.in("x");
  const size_t d = x.size(-1), y = work.output(x.shape());
  for (size_t row = 0; row + d <= x.size() && d > 0; row += d) {
    const T shift(largest_of<T>(d, [&](size_t i) { return x[row + i]; }));
    std::vector<T> terms;
    for (size_t i = 0; i < d; ++i)
      terms.push_back(exp(x[row + i] - shift));
    const T sum = sum_of<T>(d, [&](size_t i) { return terms[i]; });
    for (size_t i = 0; i < d; ++i)
      work.set(y, row + i, terms[i] / sum);
    work.next();
  }
}

/// The mean (or sum, or each) of log(sum(exp(logits))) - logits[label] over labels that are not ignored.
/// logits [n, v], labels [n]; ignored (-100), reduction ("mean", "sum" or "none").
template <class T, class Base>
void cross_entropy(Work<T, Base>& work) {
  const auto logits = work.in("logits");
  const size_t v = logits.size(-1), n = v == 0 ? 0 : logits.size() / v;
  const auto ignored = work.option("ignored", int64_t{-100});
  const std::string reduction = work.option("reduction", std::string("mean"));
  if (reduction != "mean" && reduction != "sum" && reduction != "none")
    throw UserError("the exact formula has the reductions mean, sum and none");
  const bool each = reduction == "none";
  const size_t loss = work.output(each ? Shape{static_cast<int64_t>(n)} : Shape{});
  int64_t counted = 0;
  for (size_t row = 0; row < n; ++row)
    counted += work.integer("labels", row) != ignored;
  T total(0);
  for (size_t row = 0; row < n; ++row) {
    const int64_t label = work.integer("labels", row);
    if (label == ignored)
      continue;
    if (label < 0 || label >= static_cast<int64_t>(v))
      throw UserError("a label is beyond the logits; draw labels with high = the number of classes");
    const T shift(largest_of<T>(v, [&](size_t i) { return logits[row * v + i]; }));
    const T sum = sum_of<T>(v, [&](size_t i) { return exp(logits[row * v + i] - shift); });
    const T one = log(sum) + shift - logits[row * v + static_cast<size_t>(label)];
    if (each) {
      work.set(loss, row, one);
      work.next();
    } else {
      total = total + one;
    }
  }
  if (!each) {
    work.set(loss, 0, reduction == "mean" ? total / T(static_cast<Base>(counted)) : total);
    work.next();
  }
}

/// Rotates pairs of a head by the angles whose cosine and sine are given. x [b, s, h, d], cos and sin [s,
/// d/2]; layout "half" (pairs i and i + d/2, rotate-half) or "interleaved" (pairs 2i and 2i + 1, complex
/// numbers).
template <class T, class Base>
void rope(Work<T, Base>& work) {
  const auto x = work.in("x"), cos = work.in("cos"), sin = work.in("sin");
  const std::string layout = work.option("layout", std::string("half"));
  if (layout != "half" && layout != "interleaved")
    throw UserError("the exact formula has the layouts half and interleaved");
  const size_t d = x.size(-1), half = d / 2, heads = x.size(-2), s = x.size(-3), y = work.output(x.shape());
  for (size_t row = 0; d > 0 && row < x.size() / d; ++row) {
    const size_t angle = row / heads % s * half;
    for (size_t i = 0; i < half; ++i) {
      const size_t a = row * d + (layout == "half" ? i : 2 * i), b = layout == "half" ? a + half : a + 1;
      work.set(y, a, x[a] * cos[angle + i] - x[b] * sin[angle + i]);
      work.set(y, b, x[a] * sin[angle + i] + x[b] * cos[angle + i]);
    }
    work.next();
  }
}

/// y = gate / (1 + exp(-gate)) * up, element by element.
template <class T, class Base>
void swiglu(Work<T, Base>& work) {
  const auto gate = work.in("gate"), up = work.in("up");
  const size_t y = work.output(gate.shape());
  for (size_t i = 0; i < gate.size(); ++i) {
    work.set(y, i, gate[i] / (T(1) + exp(T(0) - gate[i])) * up[i]);
    work.next();
  }
}

/// The sum over the last dimension, or over all elements. x [..., d]; over ("all" or "last").
template <class T, class Base>
void sum(Work<T, Base>& work) {
  const auto x = work.in("x");
  const std::string over = work.option("over", std::string("all"));
  Shape shape = x.shape();
  const size_t d = over == "last" ? x.size(-1) : x.size();
  if (over == "last")
    shape.pop_back();
  const size_t y = work.output(over == "last" ? shape : Shape{});
  for (size_t row = 0; row < (d == 0 ? 0 : x.size() / d); ++row) {
    work.set(y, row, sum_of<T>(d, [&](size_t i) { return x[row * d + i]; }));
    work.next();
  }
}

/// The root of the sum of all squares of a list of tensors: tensors, or of one: x.
template <class T, class Base>
void norm(Work<T, Base>& work) {
  const std::string name = work.has("tensors") ? "tensors" : "x";
  const size_t y = work.output({});
  T squares(0);
  for (size_t item = 0; item < std::max<size_t>(1, work.items(name)); ++item) {
    const auto x = work.in(name, item);
    for (size_t i = 0; i < x.size(); ++i)
      squares = squares + x[i] * x[i];
  }
  work.set(y, 0, sqrt(squares));
  work.next();
}

}  // namespace parity::operators
