// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/exact/arithmetic/numbers.hpp"

#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <ATen/ATen.h>

#include "harness/base/error.hpp"
#include "harness/base/hash.hpp"
#include "reference/exact/arithmetic/matrix_product.hpp"
#include "reference/exact/arithmetic/planes.hpp"

namespace parity::reference::exact {
namespace {

/// Applies a function of a level's field to the levels that both have.
template <class Function>
std::vector<at::Tensor> by_level(const Numbers& a, const Numbers& b, const Function& function) {
  std::vector<at::Tensor> result;
  for (size_t i = 0; i < std::min(a.levels.size(), b.levels.size()); ++i)
    result.push_back(map(a.levels[i], b.levels[i],
                         [&, field = tower().field(static_cast<int64_t>(i))](uint64_t x, uint64_t y) {
                           return function(field, x, y);
                         }));
  return result;
}

template <class Function>
std::vector<at::Tensor> by_level(const Numbers& a, const Function& function) {
  std::vector<at::Tensor> result;
  for (size_t i = 0; i < a.levels.size(); ++i)
    result.push_back(map(a.levels[i], [&, field = tower().field(static_cast<int64_t>(i))](uint64_t x) {
      return function(field, x);
    }));
  return result;
}

constexpr uint64_t log_function = fnv1a("log");

/// Returns level 0 of logarithms by their powers; log(1) = 0, and log(0) is minus infinity.
at::Tensor level_of_power(const at::Tensor& power) {
  return map_all(power, [hash = tower().hash(0, log_function)](int64_t x) -> int64_t {
    if (x <= 1)
      return x == 1 ? 0 : x == 0 ? minus_infinity : unknown;
    return static_cast<int64_t>(hash(static_cast<uint64_t>(x)));
  });
}

/// Fills level 0 of numbers with logarithms.
Numbers with_level_zero(Numbers a) {
  a.levels.front() = level_of_power(a.power);
  return a;
}

/// Projects each number to the image of exp, where every root is unique.
at::Tensor projected(const at::Tensor& plane) {
  const Field& field = tower().field(0);
  return powers(plane, (field.prime() - 1) / tower().field(1).prime(), field);
}

/// Returns whether two planes are the same elements of the same memory.
bool are_one(const at::Tensor& a, const at::Tensor& b) {
  return a.is_alias_of(b) && a.storage_offset() == b.storage_offset() && a.sizes() == b.sizes() &&
         a.strides() == b.strides();
}

uint64_t times(const Field& field, uint64_t x, uint64_t y) {
  return field.mul(x, y);
}

/// Returns a + log(s) times a constant c: exponents of s are c as an element of level 1.
Numbers scaled_log(const Numbers& a, const Numbers& c) {
  Numbers result;
  result.levels = by_level(a, c, times);
  result.power = map(a.power, c.levels.at(1),
                     [field = tower().field(0)](uint64_t x, uint64_t y) { return field.power(x, y); });
  const bool whole =
      c.constant.eq(c.constant.round()).all().item<bool>() && c.constant.abs().max().item<double>() < 1 << 20;
  if (whole && a.factor.defined())
    result.factor = map(a.factor, c.constant.to(at::kLong).remainder((int64_t{1} << 62)),
                        [field = tower().field(0)](uint64_t x, uint64_t y) {
                          const auto n = static_cast<int64_t>(y << 2U) >> 2U;  // the sign of 62 bits
                          return n < 0 ? field.inverse(field.power(x, static_cast<uint64_t>(-n)))
                                       : field.power(x, static_cast<uint64_t>(n));
                        });
  return with_level_zero(std::move(result));
}

}  // namespace

Numbers constants(const at::Tensor& values) {
  Numbers result;
  result.constant = values.to(at::kDouble);
  for (int64_t level = 0; level < tower().levels(); ++level)
    result.levels.push_back(from_doubles(result.constant, level));
  return result;
}

Numbers constant(double value) {
  return constants(at::scalar_tensor(value, at::kDouble));
}

Numbers plain(const Numbers& a) {
  return a.has_log() ? Numbers{{a.first()}} : a;
}

Numbers lifted(const Numbers& a) {
  Numbers result = {{a.first()}};
  for (int64_t level = 1; level < tower().levels(); ++level)
    result.levels.push_back(map(a.first(), tower().hash(level, fnv1a("lift"))));
  return result;
}

bool can_have_log(const Numbers& a) {
  return a.has_log() || a.levels.size() > 1;
}

/// Returns numbers with level 1 in the form of logarithms.
Numbers with_log(const Numbers& a) {
  if (a.has_log())
    return a;
  Numbers result = a;
  result.constant = at::Tensor();
  result.square = at::Tensor();
  result.power = projected(exponentials(a.levels[1], 0));
  result.factor = at::ones_like(a.levels[1]);
  return result;
}

Numbers add(const Numbers& a, const Numbers& b) {
  const bool as_logs = (a.has_log() || b.has_log()) && can_have_log(a) && can_have_log(b);
  const Numbers x = as_logs ? with_log(a) : plain(a), y = as_logs ? with_log(b) : plain(b);
  Numbers result;
  for (size_t i = 0; i < std::min(x.levels.size(), y.levels.size()); ++i)
    result.levels.push_back(added(x.levels[i], y.levels[i], tower().field(static_cast<int64_t>(i))));
  if (!as_logs)
    return result;
  const auto multiply = [field = tower().field(0)](uint64_t u, uint64_t v) { return field.mul(u, v); };
  result.power = map(x.power, y.power, multiply);
  if (x.factor.defined() && y.factor.defined())
    result.factor = map(x.factor, y.factor, multiply);
  return with_level_zero(std::move(result));
}

Numbers neg(const Numbers& a) {
  if (a.has_log())
    return scaled_log(a, constant(-1));
  Numbers result;
  result.levels = by_level(a, [](const Field& field, uint64_t x) { return field.neg(x); });
  result.square = a.square;
  return result;
}

Numbers sub(const Numbers& a, const Numbers& b) {
  return add(a, neg(b));
}

Numbers mul(const Numbers& a, const Numbers& b) {
  if (a.has_log() && b.constant.defined())
    return scaled_log(a, b);
  if (b.has_log() && a.constant.defined())
    return scaled_log(b, a);
  if (a.square.defined() && b.square.defined() && are_one(a.first(), b.first()))
    return square(a);
  Numbers result;
  result.levels = by_level(plain(a), plain(b), times);
  return result;
}

Numbers reciprocal(const Numbers& a) {
  Numbers result;
  const Numbers x = plain(a);
  for (size_t i = 0; i < x.levels.size(); ++i)
    result.levels.push_back(inverses(x.levels[i], tower().field(static_cast<int64_t>(i))));
  if (x.square.defined())
    result.square = inverses(x.square, tower().field(0));
  if (x.constant.defined())
    result.constant = x.constant.masked_fill(x.constant.abs().ne(1), std::nan(""));  // a fraction, exactly
  return result;
}

Numbers div(const Numbers& a, const Numbers& b) {
  return mul(a, reciprocal(b));
}

Numbers square(const Numbers& a) {
  Numbers result;
  const Numbers x = plain(a);
  result.levels = by_level(x, [](const Field& field, uint64_t u) { return field.mul(u, u); });
  if (x.square.defined())
    result.levels.front() = x.square;
  return result;
}

Numbers power(const Numbers& a, double n) {
  if (n < 0)
    return reciprocal(power(a, -n));
  if (n != std::floor(n)) {
    if (2 * n != std::floor(2 * n))
      throw UserError("the power " + std::to_string(n) +
                      " has no exact form; only whole and half powers have one");
    // Of roots alone: half of them have a square of another sign than a, and derivatives multiply roots.
    Numbers root = sqrt(a);
    if (n == 0.5)
      return root;
    root.square = at::Tensor();
    return power(root, 2 * n);
  }
  const Numbers x = plain(a);
  if (x.square.defined() && n == 2)
    return square(x);
  Numbers result;
  result.levels =
      by_level(x, [n](const Field& field, uint64_t u) { return field.power(u, static_cast<uint64_t>(n)); });
  return result;
}

Numbers sqrt(const Numbers& a) {
  const Numbers x = plain(a);
  Numbers result;
  for (size_t i = 0; i < x.levels.size(); ++i) {
    const Field& field = tower().field(static_cast<int64_t>(i));
    result.levels.push_back(powers(x.levels[i], (field.prime() + 1) / 4, field));
  }
  result.square = x.first();
  return result;
}

Numbers rsqrt(const Numbers& a) {
  return reciprocal(sqrt(a));
}

Numbers exp(const Numbers& a) {
  if (a.levels.size() < 2)
    throw UserError("an exponential has no level left: too many are nested without a norm between them");
  Numbers result;
  for (size_t i = 0; i + 1 < a.levels.size(); ++i)
    result.levels.push_back(exponentials(a.levels[i + 1], static_cast<int64_t>(i)));
  if (!a.has_log())
    return result;
  if (!a.factor.defined())
    throw UserError("the exponential of a fraction of a logarithm has no exact form");
  return {{map(result.first(), a.factor,
               [field = tower().field(0)](uint64_t x, uint64_t y) { return field.mul(x, y); })}};
}

Numbers log(const Numbers& a) {
  const Numbers x = plain(a);
  Numbers result;
  for (int64_t level = 0; level < tower().levels(); ++level)
    result.levels.push_back(at::zeros_like(x.first()));
  require(tower().levels() > 1, "a logarithm needs two levels");
  result.factor = x.first();
  result.power = projected(x.first());
  return with_level_zero(std::move(result));
}

Numbers uninterpreted(const std::string& function, const Numbers& a) {
  Numbers result;
  for (int64_t level = 0; level < tower().levels(); ++level)
    result.levels.push_back(map(a.first(), tower().hash(level, fnv1a(function))));
  return result;
}

Numbers sum(const Numbers& a, at::IntArrayRef dims, bool keepdim) {
  Numbers result;
  for (size_t i = 0; i < a.levels.size(); ++i) {
    const Field field = tower().field(static_cast<int64_t>(i));
    result.levels.push_back(
        fold(a.levels[i], dims, keepdim, 0, [&](uint64_t x, uint64_t y) { return field.add(x, y); }));
  }
  if (!a.has_log())
    return result;
  const auto multiply = [field = tower().field(0)](uint64_t x, uint64_t y) { return field.mul(x, y); };
  result.power = fold(a.power, dims, keepdim, 1, multiply);
  if (a.factor.defined())
    result.factor = fold(a.factor, dims, keepdim, 1, multiply);
  return with_level_zero(std::move(result));
}

Numbers product(const Numbers& a, const Numbers& b) {
  Numbers result;
  const Numbers x = plain(a), y = plain(b);
  for (size_t i = 0; i < std::min(x.levels.size(), y.levels.size()); ++i)
    result.levels.push_back(products(x.levels[i], y.levels[i], tower().field(static_cast<int64_t>(i))));
  return result;
}

Numbers moved(const std::vector<Numbers>& operands, const Move& move) {
  size_t levels = std::numeric_limits<size_t>::max();
  bool has_log = false, can_log = true, has_factor = true, has_square = false;
  for (const Numbers& each : operands) {
    levels = std::min(levels, each.levels.size());
    has_log |= each.has_log();
    can_log &= can_have_log(each);
    has_square |= each.square.defined();
  }
  std::vector<Numbers> from = operands;
  if (has_log && can_log)
    for (Numbers& each : from) {
      each = with_log(each);
      has_factor &= each.factor.defined();
    }
  const auto apply = [&](const auto& plane_of, int64_t fill) {
    std::vector<at::Tensor> planes;
    for (const Numbers& each : from)
      planes.push_back(plane_of(each));
    return move(planes, fill);
  };
  Numbers result;
  for (size_t i = 0; i < levels; ++i)
    result.levels.push_back(apply([i](const Numbers& x) { return x.levels[i]; }, 0));
  if (has_log && can_log) {
    result.power = apply([](const Numbers& x) { return x.power; }, 1);
    if (has_factor)
      result.factor = apply([](const Numbers& x) { return x.factor; }, 1);
  } else if (has_square) {
    result.square = apply([](const Numbers& x) { return square(x).first(); }, 0);
  }
  return result;
}

}  // namespace parity::reference::exact
