// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Functions that are not rational: the exponential and what is written with it, logarithms, and functions
// that stay uninterpreted.
#include <ATen/ATen.h>

#include "reference/exact/call.hpp"

namespace parity::reference::exact {
namespace {

using Results = std::vector<Numbers>;

Numbers sigmoid(const Numbers& x) {
  return reciprocal(add(constant(1), exp(neg(x))));
}

/// Returns tanh(x) = 1 - 2 / (1 + exp(2 x)).
Numbers tanh(const Numbers& x) {
  return sub(constant(1), mul(constant(2), reciprocal(add(constant(1), exp(add(x, x))))));
}

}  // namespace

void add_functions(Rules& rules) {
  rules["exp"] = [](Call& call) -> Results { return {exp(call.numbers(0))}; };
  rules["log"] = [](Call& call) -> Results { return {log(call.numbers(0))}; };
  rules["log1p"] = [](Call& call) -> Results { return {log(add(constant(1), call.numbers(0)))}; };
  rules["expm1"] = [](Call& call) -> Results { return {sub(exp(call.numbers(0)), constant(1))}; };
  rules["sigmoid"] = [](Call& call) -> Results { return {sigmoid(call.numbers(0))}; };
  rules["log_sigmoid_forward"] = [](Call& call) -> Results {
    return {neg(log(add(constant(1), exp(neg(call.numbers(0)))))), exp(neg(call.numbers(0)))};
  };
  rules["tanh"] = [](Call& call) -> Results { return {tanh(call.numbers(0))}; };
  rules["silu"] = [](Call& call) -> Results { return {mul(call.numbers(0), sigmoid(call.numbers(0)))}; };
  rules["sigmoid_backward"] = [](Call& call) -> Results {  // grad (1 - y) y
    const Numbers y = call.numbers(1);
    return {mul(call.numbers(0), mul(sub(constant(1), y), y))};
  };
  rules["tanh_backward"] = [](Call& call) -> Results {  // grad (1 - y^2)
    return {mul(call.numbers(0), sub(constant(1), square(call.numbers(1))))};
  };
  rules["silu_backward"] = [](Call& call) -> Results {  // grad s (1 + x (1 - s)), s = sigmoid(x)
    const Numbers x = call.numbers(1), s = sigmoid(x);
    return {mul(call.numbers(0), mul(s, add(constant(1), mul(x, sub(constant(1), s)))))};
  };
  for (const char* name : {"sin", "cos", "erf", "atan", "log2", "log10", "exp2"})
    rules[name] = [name](Call& call) -> Results { return {uninterpreted(name, call.numbers(0))}; };
}

}  // namespace parity::reference::exact
