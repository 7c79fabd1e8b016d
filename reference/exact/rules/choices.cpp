// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Operators that choose among numbers. The values decide, and the residues of what they choose follow.
#include <cmath>

#include <ATen/ATen.h>

#include "harness/base/error.hpp"
#include "reference/exact/call.hpp"

namespace parity::reference::exact {
namespace {

using Results = std::vector<Numbers>;
using Planes = std::vector<at::Tensor>;

Numbers chosen(const Numbers& x, const at::Tensor& index, int64_t dim) {
  return moved({x}, [&](const Planes& planes, int64_t) { return planes[0].gather(dim, index); });
}

Numbers select(const at::Tensor& condition, const Numbers& yes, const Numbers& no) {
  return moved({yes, no},
               [&](const Planes& planes, int64_t) { return at::where(condition, planes[0], planes[1]); });
}

/// topk and sort: (self, ..., dim, ...) to values and indices.
Rule by_indices(size_t dim_argument, int64_t default_dim) {
  return [=](Call& call) -> Results {
    const Numbers x = call.numbers(0);
    call.run();
    const int64_t dim = call.has(dim_argument) ? call.integer(dim_argument) : default_dim;
    return {chosen(x, call.result(1), dim), Numbers()};
  };
}

/// max and min: of all numbers, along a dimension with indices, or of pairs.
Rule extreme(bool is_max) {
  return [=](Call& call) -> Results {
    const at::Tensor& x = call.tensor(0);
    if (call.has(1) && call.argument(1).isTensor()) {
      const at::Tensor& y = call.tensor(1);
      return {select(is_max ? x.ge(y) : x.le(y), call.numbers(0), call.numbers(1))};
    }
    if (!call.has(1)) {
      const at::Tensor at = is_max ? x.argmax() : x.argmin();
      return {moved({call.numbers(0)},
                    [&](const Planes& planes, int64_t) { return planes[0].flatten()[at.item<int64_t>()]; })};
    }
    const int64_t dim = call.integer(1);
    const bool keepdim = call.has(2) && call.argument(2).toBool();
    const at::Tensor index = is_max ? x.argmax(dim, true) : x.argmin(dim, true);
    const Numbers values = chosen(call.numbers(0), index, dim);
    return {keepdim ? values
                    : moved({values}, [&](const Planes& planes, int64_t) { return planes[0].squeeze(dim); }),
            Numbers()};
  };
}

/// amax and amin: (self, dims, keepdim).
Rule extreme_of_dims(bool is_max) {
  return [=](Call& call) -> Results {
    Numbers numbers = call.numbers(0);
    at::Tensor x = call.tensor(0);
    std::vector<int64_t> dims = call.integers(1);
    if (dims.empty())
      for (int64_t i = 0; i < x.dim(); ++i)
        dims.push_back(i);
    for (const int64_t dim : dims) {
      const at::Tensor index = is_max ? x.argmax(dim, true) : x.argmin(dim, true);
      x = x.gather(dim, index);
      numbers = chosen(numbers, index, dim);
    }
    if (call.has(2) && call.argument(2).toBool())
      return {numbers};
    std::vector<int64_t> rest;
    return {moved({numbers}, [&](const Planes& planes, int64_t) { return planes[0].squeeze(dims); })};
  };
}

/// clamp: (self, min, max), each a number, a tensor or nothing.
Numbers clamped(Call& call, std::optional<size_t> low, std::optional<size_t> high) {
  Numbers result = call.numbers(0);
  at::Tensor x = call.tensor(0);
  const auto limit = [&](size_t i, bool is_low) {
    const at::Tensor bound =
        call.argument(i).isTensor() ? call.tensor(i) : at::scalar_tensor(call.number(i), at::kDouble);
    const at::Tensor keeps = is_low ? x.ge(bound) : x.le(bound);
    result = select(keeps, result, call.numbers(i));
    x = at::where(keeps, x, bound.to(x.scalar_type()));
  };
  if (low && call.has(*low))
    limit(*low, true);
  if (high && call.has(*high))
    limit(*high, false);
  return result;
}

/// Returns results that depend on the values only by a choice, as sign does.
Results decided(Call& call) {
  if (call.tensor(0).is_complex())
    throw UserError("the sign of a complex number has no exact form");
  call.run();
  Results results;
  for (const at::Tensor& each : call.written())
    results.push_back(constants(each));
  return results;
}

/// max_pool2d_with_indices: (self, ...) to values and their places in the last two dimensions.
Results max_pool(Call& call) {
  const Numbers x = call.numbers(0);
  call.run();
  const at::Tensor places = call.result(1);
  return {moved({x},
                [&](const Planes& planes, int64_t) {
                  return planes[0].flatten(-2).gather(-1, places.flatten(-2)).view(places.sizes());
                }),
          Numbers()};
}

/// hardtanh: (self, min, max) and its backward operator (grad, self, min, max).
Results hardtanh_backward(Call& call) {
  const at::Tensor& x = call.tensor(1);
  const at::Tensor inside = x.gt(call.number(2)).logical_and(x.lt(call.number(3)));
  return {select(inside, call.numbers(0), constant(0))};
}

}  // namespace

void add_choices(Rules& rules) {
  rules["topk"] = by_indices(2, -1);
  rules["sort"] = [](Call& call) -> Results {  // (self, dim, descending) or (self, stable, dim, descending)
    return by_indices(call.op().schema().arguments()[1].name() == "dim" ? 1 : 2, -1)(call);
  };
  rules["max"] = extreme(true);
  rules["min"] = extreme(false);
  rules["maximum"] = extreme(true);
  rules["minimum"] = extreme(false);
  rules["amax"] = extreme_of_dims(true);
  rules["amin"] = extreme_of_dims(false);
  rules["clamp"] = [](Call& call) -> Results { return {clamped(call, 1, 2)}; };
  rules["clamp_max"] = [](Call& call) -> Results { return {clamped(call, {}, 1)}; };
  rules["clamp_min"] = [](Call& call) -> Results { return {clamped(call, 1, {})}; };
  rules["hardtanh"] = rules["clamp"];
  rules["hardtanh_backward"] = hardtanh_backward;
  rules["max_pool2d_with_indices"] = max_pool;
  rules["abs"] = [](Call& call) -> Results {
    return {select(call.tensor(0).lt(0), neg(call.numbers(0)), call.numbers(0))};
  };
  rules["relu"] = [](Call& call) -> Results {
    return {select(call.tensor(0).gt(0), call.numbers(0), constant(0))};
  };
  rules["threshold_backward"] = [](Call& call) -> Results {  // (grad, self, threshold)
    return {select(call.tensor(1).gt(call.number(2)), call.numbers(0), constant(0))};
  };
  for (const char* name : {"sign", "sgn", "floor", "ceil", "round", "trunc"})
    rules[name] = decided;
}

}  // namespace parity::reference::exact
