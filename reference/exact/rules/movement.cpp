// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Operators that move numbers and compute none: each runs on every plane as on values.
#include <ATen/ATen.h>

#include "harness/base/error.hpp"
#include "reference/exact/arithmetic/planes.hpp"
#include "reference/exact/call.hpp"
#include "reference/exact/shadow.hpp"

namespace parity::reference::exact {
namespace {

using Results = std::vector<Numbers>;
using Planes = std::vector<at::Tensor>;

/// Returns the rule of an operator that moves one tensor, argument i, and fills the rest with zeros.
Rule moves(size_t i) {
  return [i](Call& call) -> Results {
    return {moved({call.numbers(i)},
                  [&](const Planes& planes, int64_t) { return call.call_on({{i, planes[0]}}); })};
  };
}

/// Returns the rule of an operator that joins a list of tensors, argument 0.
Results joins(Call& call) {
  return {
      moved(call.all_numbers(0), [&](const Planes& planes, int64_t) { return call.call_on({{0, planes}}); })};
}

Results copies(Call& call) {
  return {call.numbers(0)};
}

Results overwrites(Call& call) {  // copy_(self, source)
  const at::Tensor& self = call.tensor(0);
  return {moved({call.numbers(1)}, [&](const Planes& planes, int64_t) {
    return self.is_complex() ? planes[0] : planes[0].expand(self.sizes());
  })};
}

/// Returns the number of an argument, in the shape of argument 0.
Numbers filled(const Call& call, const Numbers& value) {
  Numbers result = value;
  for (at::Tensor& level : result.levels)
    level = level.expand(call.tensor(0).sizes());
  result.constant = result.constant.defined() ? result.constant.expand(call.tensor(0).sizes()) : at::Tensor();
  return result;
}

Results masked(Call& call) {  // masked_fill(self, mask, value)
  return {moved({call.numbers(0), call.numbers(2)}, [&](const Planes& planes, int64_t) {
    return at::where(call.tensor(1), planes[1], planes[0]);
  })};
}

Results where(Call& call) {
  return {moved({call.numbers(1), call.numbers(2)}, [&](const Planes& planes, int64_t) {
    return at::where(call.tensor(0), planes[0], planes[1]);
  })};
}

/// Adds numbers at places that may repeat: a function that adds integers is applied to the halves of each
/// residue, which cannot overflow.
Numbers added_at(const Numbers& x, const std::function<at::Tensor(const at::Tensor& plane)>& add_integers) {
  Numbers result;
  const Numbers from = plain(x);
  for (size_t i = 0; i < from.levels.size(); ++i) {
    const at::Tensor& plane = from.levels[i];
    if (plane.numel() > 0 && plane.min().item<int64_t>() < 0)
      throw UserError("numbers without residues are added at places (" +
                      std::to_string(plane.lt(0).sum().item<int64_t>()) + " of " +
                      std::to_string(plane.numel()) + ", level " + std::to_string(i) + ", least " +
                      std::to_string(plane.min().item<int64_t>()) + ")");
    const at::Tensor low = add_integers(plane.bitwise_and(0xFFFFFFFF));
    const at::Tensor high = add_integers(plane.bitwise_right_shift(32));
    result.levels.push_back(
        map(low, high, [field = tower().field(static_cast<int64_t>(i))](uint64_t a, uint64_t b) {
          return field.reduce((static_cast<Wide>(b) << 32U) + a);
        }));
  }
  return result;
}

at::Tensor zeros_of(const at::Tensor& shape_of) {
  return at::zeros(shape_of.sizes(), at::kLong);
}

Results index_put(Call& call) {  // index_put(self, indices, values, accumulate)
  const bool accumulates = call.has(3) && call.argument(3).toBool();
  if (!accumulates)
    return {moved({call.numbers(0), call.numbers(2)}, [&](const Planes& planes, int64_t) {
      return call.call_on({{0, planes[0]}, {2, planes[1]}});
    })};
  const Numbers added = added_at(call.numbers(2), [&](const at::Tensor& plane) {
    return call.call_on({{0, zeros_of(call.tensor(0))}, {2, plane}});
  });
  return {add(call.numbers(0), added)};
}

Results scatter_add(Call& call) {  // (self, dim, index, source)
  return {add(call.numbers(0), added_at(call.numbers(3), [&](const at::Tensor& plane) {
                return at::scatter_add(zeros_of(call.tensor(0)), call.integer(1), call.tensor(2), plane);
              }))};
}

Results index_add(Call& call) {  // (self, dim, index, source, alpha)
  const Numbers source =
      call.has(4) && call.number(4) != 1 ? mul(call.numbers(3), call.numbers(4)) : call.numbers(3);
  return {add(call.numbers(0), added_at(source, [&](const at::Tensor& plane) {
                return at::index_add(zeros_of(call.tensor(0)), call.integer(1), call.tensor(2), plane);
              }))};
}

Results embedding_backward(Call& call) {  // (grad, indices, num_weights, padding_idx, scale_grad_by_freq)
  if (call.has(4) && call.argument(4).toBool())
    throw UserError("scale_grad_by_freq has no exact form");
  const at::Tensor indices = call.tensor(1).flatten();
  return {added_at(call.numbers(0), [&](const at::Tensor& plane) {
    const at::Tensor rows = plane.reshape({indices.numel(), plane.size(-1)});
    const at::Tensor kept =
        call.integer(3) >= 0 ? rows.masked_fill(indices.eq(call.integer(3)).unsqueeze(1), 0) : rows;
    return at::index_add(at::zeros({call.integer(2), plane.size(-1)}, at::kLong), 0, indices, kept);
  })};
}

Results cumulated(Call& call) {
  return {
      added_at(call.numbers(0), [&](const at::Tensor& plane) { return at::cumsum(plane, call.integer(1)); })};
}

}  // namespace

void add_movement(Rules& rules) {
  for (const char* name : {"clone", "_to_copy", "contiguous"})
    rules[name] = copies;
  rules["copy"] = overwrites;
  rules["fill"] = [](Call& call) -> Results { return {filled(call, call.numbers(1))}; };
  rules["zero"] = [](Call& call) -> Results { return {filled(call, constant(0))}; };
  for (const char* name :
       {"index", "gather", "index_select", "embedding", "masked_select", "flip", "roll", "repeat", "tril",
        "triu", "slice_backward", "select_backward", "_unsafe_index", "take_along_dim", "diagonal_backward"})
    rules[name] = moves(0);
  for (const char* name : {"cat", "stack"})
    rules[name] = joins;
  rules["masked_fill"] = masked;
  rules["where"] = where;
  rules["index_put"] = rules["_index_put_impl"] = index_put;
  rules["scatter_add"] = scatter_add;
  rules["index_add"] = index_add;
  rules["index_copy"] = [](Call& call) -> Results {  // (self, dim, index, source)
    return {moved({call.numbers(0), call.numbers(3)}, [&](const Planes& planes, int64_t) {
      return at::index_copy(planes[0], call.integer(1), call.tensor(2), planes[1]);
    })};
  };
  rules["embedding_dense_backward"] = embedding_backward;
  rules["cumsum"] = cumulated;
  rules["constant_pad_nd"] = [](Call& call) -> Results {  // (self, pad, value)
    if (call.has(2) && call.number(2) != 0)
      throw UserError("only padding with zeros has an exact form");
    return moves(0)(call);
  };
  rules["scatter"] = [](Call& call) -> Results {  // (self, dim, index, src or value, reduce)
    if (call.has(4))
      throw UserError("a scatter that reduces has no exact form; scatter_add has one");
    return {moved({call.numbers(0), call.numbers(3)}, [&](const Planes& planes, int64_t) {
      const at::Tensor source = planes[1].dim() == 0 ? planes[1].expand(call.tensor(2).sizes()) : planes[1];
      return at::scatter(planes[0], call.integer(1), call.tensor(2), source);
    })};
  };
}

}  // namespace parity::reference::exact
