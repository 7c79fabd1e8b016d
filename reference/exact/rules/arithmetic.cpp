// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Sums, products and quotients, element by element.
#include <ATen/ATen.h>

#include "harness/base/error.hpp"
#include "reference/exact/call.hpp"
#include "reference/exact/shadow.hpp"

namespace parity::reference::exact {
namespace {

bool is_complex(const Call& call, size_t i) {
  return call.argument(i).isTensor() && call.tensor(i).is_complex();
}

/// Returns numbers of a shape [..., 2]: a real argument gets imaginary parts of 0.
Numbers as_complex(const Call& call, size_t i) {
  Numbers x = call.numbers(i);
  if (is_complex(call, i))
    return x;
  return moved({x}, [](const std::vector<at::Tensor>& planes, int64_t) {
    return at::stack({planes[0], at::zeros_like(planes[0])}, -1);
  });
}

Numbers part(const Numbers& x, int64_t i) {
  return moved({x}, [i](const std::vector<at::Tensor>& planes, int64_t) { return planes[0].select(-1, i); });
}

Numbers complex_of(const Numbers& real, const Numbers& imaginary) {
  return moved({real, imaginary}, [](const std::vector<at::Tensor>& planes, int64_t) {
    return at::stack({planes[0], planes[1]}, -1);
  });
}

Numbers complex_product(const Numbers& x, const Numbers& y) {
  const Numbers a = part(x, 0), b = part(x, 1), c = part(y, 0), d = part(y, 1);
  return complex_of(sub(mul(a, c), mul(b, d)), add(mul(a, d), mul(b, c)));
}

Numbers product_of(const Call& call, size_t i, size_t j) {
  if (is_complex(call, i) || is_complex(call, j))
    return complex_product(as_complex(call, i), as_complex(call, j));
  const bool same =
      call.argument(i).isTensor() && call.argument(j).isTensor() && call.tensor(i).is_same(call.tensor(j));
  return same ? square(call.numbers(i)) : mul(call.numbers(i), call.numbers(j));
}

/// Returns argument i times alpha, where alpha is given.
Numbers times_alpha(const Call& call, size_t i, size_t alpha) {
  Numbers x = call.numbers(i);
  return !call.has(alpha) || call.number(alpha) == 1 ? x : mul(x, call.numbers(alpha));
}

Numbers quotient(Call& call) {
  if (call.has(2))
    throw UserError("a division that rounds to whole numbers has no exact form");
  if (is_complex(call, 1))
    throw UserError("a division by complex numbers has no exact form");
  Numbers divisor = call.numbers(1);
  if (is_complex(call, 0) && call.argument(1).isTensor() && call.tensor(1).dim() > 0)
    divisor = moved({divisor},
                    [](const std::vector<at::Tensor>& planes, int64_t) { return planes[0].unsqueeze(-1); });
  return div(call.numbers(0), divisor);
}

Numbers sum_of(Call& call) {
  if (is_complex(call, 0) != is_complex(call, 1) && call.argument(1).isTensor())
    return add(as_complex(call, 0), as_complex(call, 1));
  return add(call.numbers(0), times_alpha(call, 1, 2));
}

}  // namespace

void add_arithmetic(Rules& rules) {
  using Results = std::vector<Numbers>;
  rules["add"] = [](Call& call) -> Results { return {sum_of(call)}; };
  rules["sub"] = [](Call& call) -> Results { return {sub(call.numbers(0), times_alpha(call, 1, 2))}; };
  rules["rsub"] = [](Call& call) -> Results { return {sub(call.numbers(1), times_alpha(call, 0, 2))}; };
  rules["mul"] = [](Call& call) -> Results { return {product_of(call, 0, 1)}; };
  rules["div"] = [](Call& call) -> Results { return {quotient(call)}; };
  rules["neg"] = [](Call& call) -> Results { return {neg(call.numbers(0))}; };
  rules["reciprocal"] = [](Call& call) -> Results { return {reciprocal(call.numbers(0))}; };
  rules["square"] = [](Call& call) -> Results { return {square(call.numbers(0))}; };
  rules["sqrt"] = [](Call& call) -> Results { return {sqrt(call.numbers(0))}; };
  rules["rsqrt"] = [](Call& call) -> Results { return {rsqrt(call.numbers(0))}; };
  rules["pow"] = [](Call& call) -> Results { return {power(call.numbers(0), call.number(1))}; };
  rules["lerp"] = [](Call& call) -> Results {  // self + weight (end - self)
    const Numbers from = call.numbers(0);
    return {add(from, mul(call.numbers(2), sub(call.numbers(1), from)))};
  };
  rules["addcmul"] = [](Call& call) -> Results {
    return {add(call.numbers(0), mul(product_of(call, 1, 2), call.numbers(3)))};
  };
  rules["addcdiv"] = [](Call& call) -> Results {
    return {add(call.numbers(0), mul(div(call.numbers(1), call.numbers(2)), call.numbers(3)))};
  };
  rules["_conj_physical"] = rules["conj_physical"] = [](Call& call) -> Results {
    const Numbers x = call.numbers(0);
    return {complex_of(part(x, 0), neg(part(x, 1)))};
  };
}

}  // namespace parity::reference::exact
