// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <ATen/ATen.h>

#include "harness/base/error.hpp"
#include "reference/exact/call.hpp"

namespace parity::reference::exact {
namespace {

using Results = std::vector<Numbers>;

/// Returns dims that count from the front, all where none is given.
std::vector<int64_t> dims_of(const Call& call, size_t i) {
  std::vector<int64_t> dims = call.integers(i);
  const int64_t rank = call.tensor(0).dim();
  for (int64_t& dim : dims)
    dim = dim < 0 ? dim + rank : dim;
  if (dims.empty())
    for (int64_t dim = 0; dim < rank; ++dim)
      dims.push_back(dim);
  return dims;
}

/// Returns whether the overload has dims: (self, dim, keepdim), in place of (self).
bool has_dims(const Call& call) {
  return call.op().schema().arguments().size() > 1 && call.op().schema().arguments()[1].name() == "dim";
}

Numbers summed(const Call& call) {
  if (!has_dims(call))
    return sum(call.numbers(0), dims_of(call, 99), false);
  return sum(call.numbers(0), dims_of(call, 1), call.has(2) && call.argument(2).toBool());
}

int64_t count_of(const Call& call) {
  int64_t count = 1;
  for (const int64_t dim : dims_of(call, has_dims(call) ? 1 : 99))
    count *= call.tensor(0).size(dim);
  return count;
}

Numbers euclidean_norm(const Numbers& x, at::IntArrayRef dims, bool keepdim, double order) {
  if (order != 2)
    throw UserError("a norm of order " + std::to_string(order) + " has no exact form; only 2 has one");
  return sqrt(sum(square(x), dims, keepdim));
}

Results vector_norm(Call& call) {  // (self, ord, dim, keepdim, dtype)
  return {euclidean_norm(call.numbers(0), dims_of(call, 2), call.has(3) && call.argument(3).toBool(),
                         call.has(1) ? call.number(1) : 2)};
}

Results foreach_norm(Call& call) {  // (self[], ord, dtype)
  Results results;
  for (const Numbers& each : call.all_numbers(0))
    results.push_back(euclidean_norm(each, {}, false, call.has(1) ? call.number(1) : 2));
  return results;
}

}  // namespace

void add_reductions(Rules& rules) {
  rules["sum"] = [](Call& call) -> Results { return {summed(call)}; };
  rules["mean"] = [](Call& call) -> Results {
    return {mul(summed(call), reciprocal(constant(static_cast<double>(count_of(call)))))};
  };
  rules["linalg_vector_norm"] = vector_norm;
  rules["_foreach_norm"] = foreach_norm;
}

}  // namespace parity::reference::exact
