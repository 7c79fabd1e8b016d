// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Products of matrices.
#include <ATen/ATen.h>

#include "reference/exact/call.hpp"

namespace parity::reference::exact {
namespace {

using Results = std::vector<Numbers>;

Numbers view_of(const Numbers& x, const std::function<at::Tensor(const at::Tensor&)>& view) {
  return moved({x}, [&](const std::vector<at::Tensor>& planes, int64_t) { return view(planes[0]); });
}

/// Returns the product of a matrix and a vector.
Numbers product_with_vector(const Numbers& a, const Numbers& b) {
  const Numbers column = view_of(b, [](const at::Tensor& x) { return x.unsqueeze(1); });
  return view_of(product(a, column), [](const at::Tensor& x) { return x.squeeze(1); });
}

/// (self, a, b, beta, alpha): beta self + alpha a b. \param result  a b
Results added_to(const Call& call, Numbers result) {
  if (call.has(4) && call.number(4) != 1)
    result = mul(result, call.numbers(4));
  if (call.has(3) && call.number(3) == 0)
    return {result};
  const Numbers self = call.numbers(0);
  return {add(call.has(3) && call.number(3) != 1 ? mul(self, call.numbers(3)) : self, result)};
}

}  // namespace

void add_products(Rules& rules) {
  rules["mm"] =
      rules["bmm"] = [](Call& call) -> Results { return {product(call.numbers(0), call.numbers(1))}; };
  rules["addmm"] = rules["baddbmm"] = [](Call& call) -> Results {
    return added_to(call, product(call.numbers(1), call.numbers(2)));
  };
  rules["addmv"] = [](Call& call) -> Results {
    return added_to(call, product_with_vector(call.numbers(1), call.numbers(2)));
  };
  rules["dot"] = [](Call& call) -> Results {
    return {sum(mul(call.numbers(0), call.numbers(1)), {}, false)};
  };
  rules["mv"] = [](Call& call) -> Results { return {product_with_vector(call.numbers(0), call.numbers(1))}; };
}

}  // namespace parity::reference::exact
