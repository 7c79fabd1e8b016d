// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/laws/muon/newton_schulz.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace parity::laws {
namespace {

using Values = std::vector<double>;

/// Digits of an arithmetic's results.
class Rounding {
 public:
  explicit Rounding(SchulzArithmetic arithmetic)
      : bits_(arithmetic == SchulzArithmetic::exact     ? 53
              : arithmetic == SchulzArithmetic::float32 ? 24
                                                        : 8) {}
  double operator()(double x) const { return bits_ == 53 ? x : round_to_bits(x, bits_); }
  void operator()(Values& values) const {
    if (bits_ < 53)
      for (double& value : values)
        value = round_to_bits(value, bits_);
  }

 private:
  int bits_;
};

Values transposed(const Values& matrix, size_t rows, size_t columns) {
  Values result(matrix.size());
  for (size_t i = 0; i < rows; ++i)
    for (size_t j = 0; j < columns; ++j)
      result[j * rows + i] = matrix[i * columns + j];
  return result;
}

/// Returns the product of a [n, k] and b [k, m]. The inner loop runs along rows, so that compilers vectorize
/// it without another order of sums.
Values product(const Values& a, const Values& b, size_t n, size_t k, size_t m) {
  Values result(n * m);
  for (size_t i = 0; i < n; ++i) {
    double* out = result.data() + i * m;
    for (size_t l = 0; l < k; ++l) {
      const double factor = a[i * k + l];
      const double* row = b.data() + l * m;
      for (size_t j = 0; j < m; ++j)
        out[j] += factor * row[j];
    }
  }
  return result;
}

/// Returns x + y times a factor, element by element.
Values sum(Values x, double factor, const Values& y) {
  for (size_t i = 0; i < x.size(); ++i)
    x[i] += factor * y[i];
  return x;
}

Values scaled(Values x, double factor) {
  for (double& value : x)
    value *= factor;
  return x;
}

/// Returns a X + (b A + c A A) X with one rounding for each product and the sum that it enters.
Values joined_step(const Values& x, const Quintic& step, size_t n, size_t m, const Rounding& round) {
  Values gram = product(x, transposed(x, n, m), n, m, n);
  round(gram);
  Values polynomial = sum(scaled(gram, step.b), step.c, product(gram, gram, n, n, n));
  round(polynomial);
  Values next = sum(scaled(x, step.a), 1, product(polynomial, x, n, n, m));
  round(next);
  return next;
}

/// Returns the same with a rounding after each operation.
Values apart_step(const Values& x, const Quintic& step, size_t n, size_t m, const Rounding& round) {
  const auto rounded = [&](Values values) {
    round(values);
    return values;
  };
  const Values gram = rounded(product(x, transposed(x, n, m), n, m, n));
  const Values square = rounded(product(rounded(scaled(gram, step.c)), gram, n, n, n));
  const Values polynomial = rounded(sum(rounded(scaled(gram, step.b)), 1, square));
  return rounded(sum(rounded(scaled(x, step.a)), 1, rounded(product(polynomial, x, n, n, m))));
}

/// Divides a matrix by its Frobenius norm.
void divide(Values& x, double eps, SchulzArithmetic arithmetic, const Rounding& round) {
  const bool divides_first = arithmetic == SchulzArithmetic::bfloat16_divided;
  if (!divides_first)
    round(x);
  double squares = 0;
  for (const double value : x)
    squares += value * value;
  const double norm = divides_first ? std::sqrt(squares) : round(std::sqrt(squares));
  const double divisor =
      arithmetic == SchulzArithmetic::bfloat16_apart ? round(norm + eps) : std::max(norm, eps);
  for (double& value : x)
    value = round(value / divisor);
}

}  // namespace

double round_to_bits(double x, int bits) {
  if (!std::isfinite(x))
    return x;
  const int dropped = 53 - bits;
  auto pattern = std::bit_cast<uint64_t>(x);
  const uint64_t odd = (pattern >> dropped) & 1;
  pattern += (uint64_t{1} << (dropped - 1)) - 1 + odd;
  return std::bit_cast<double>(pattern & ~((uint64_t{1} << dropped) - 1));
}

std::vector<double> newton_schulz(const std::vector<double>& matrix, size_t rows, size_t columns,
                                  const NewtonSchulz& rule, SchulzArithmetic arithmetic) {
  const bool tall = rows > columns;
  const size_t n = std::min(rows, columns), m = std::max(rows, columns);
  const Rounding round(arithmetic);
  Values x = tall ? transposed(matrix, rows, columns) : matrix;
  divide(x, rule.eps, arithmetic, round);
  for (const Quintic& step : rule.steps)
    x = arithmetic == SchulzArithmetic::bfloat16_apart ? apart_step(x, step, n, m, round)
                                                       : joined_step(x, step, n, m, round);
  return tall ? transposed(x, n, m) : x;
}

}  // namespace parity::laws
