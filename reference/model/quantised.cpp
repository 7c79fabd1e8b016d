// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/model/quantised.hpp"

#include <limits>

#include "harness/base/error.hpp"
#include "reference/exact/exact.hpp"

namespace parity::reference {
namespace {

constexpr double least_amax = 1e-12;
constexpr double largest_float = std::numeric_limits<float>::max();  // in place of 1 / 0
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Returns floor(log2(largest(format))).
int64_t largest_exponent(NarrowFormat format) {
  return format == NarrowFormat::e4m3 ? 8 : format == NarrowFormat::e5m2 ? 15 : 2;
}

/// Rounds to multiples of 1/2 up to 2, of 1 up to 4, of 2 above.
torch::Tensor rounded_to_e2m1(const torch::Tensor& x) {
  const torch::Tensor size = x.abs();
  const torch::Tensor step = at::where(size < 2, 0.5, at::where(size < 4, 1.0, 2.0)).to(x.scalar_type());
  return (x / step).round() * step;
}

/// Returns floor(log2 x) as int64, for finite x > 0.
torch::Tensor floor_log2(const torch::Tensor& x) {
  return std::get<1>(at::frexp(x)).to(torch::kInt64) - 1;
}

/// Returns ceil(log2 x) as int64, for finite x > 0.
torch::Tensor ceil_log2(const torch::Tensor& x) {
  const auto [fraction, exponent] = at::frexp(x);
  return exponent.to(torch::kInt64) - fraction.eq(0.5).to(torch::kInt64);
}

/// Returns 2^e in the dtype of `like`, exactly: from the bits of a float64. To an exact twin it is a
/// constant.
torch::Tensor power_of_two(const torch::Tensor& e, const torch::Tensor& like) {
  const auto values = [&] {
    const exact::ValuesAlone alone;
    return e.add(1023).bitwise_left_shift(52).view(torch::kFloat64).to(like.scalar_type());
  };
  return exact::filled_with_constants(values());
}

/// Returns the scale by E8M0's exponent, for the blocks with magnitudes `amax`.
torch::Tensor e8m0(const torch::Tensor& exponent, const torch::Tensor& amax) {
  return power_of_two(exponent.clamp(-127, 127), amax).masked_fill(amax.isfinite().logical_not(), nan);
}

/// Returns round(x): nearest values of a format, or x itself in a twin.
torch::Tensor rounded(const torch::Tensor& x, const Quantisation& how, NarrowFormat format) {
  return how.rounds ? rounded_to(x, format) : x;
}

/// Returns the scales of blocks as they are used: a twin rounds them down to powers of two, 2^-1 for 0, so
/// that they divide out exactly.
torch::Tensor used(const torch::Tensor& scale, const Quantisation& how) {
  if (how.rounds)
    return scale;
  return power_of_two(floor_log2(scale).clamp(-120, 120), scale)
      .masked_fill(scale.isfinite().logical_not(), nan);
}

/// Returns x' for a factor r: round(x r) / r. \param factor  of each block
torch::Tensor by_factor(const torch::Tensor& x, const torch::Tensor& factor, const Quantisation& how) {
  const torch::Tensor r = used(factor, how);
  return rounded(x * r, how, how.format) / r;
}

/// Returns x' for a scale s: s round(x / s). \param scale  of each block
torch::Tensor by_scale(const torch::Tensor& x, const torch::Tensor& scale, const Quantisation& how) {
  const torch::Tensor s = used(scale, how);
  return rounded(x / s, how, how.format) * s;
}

torch::Tensor factor_of(const torch::Tensor& amax, NarrowFormat format) {
  return amax.to(torch::kFloat64).clamp_min(least_amax).reciprocal().mul_(largest(format));
}

/// Returns magnitudes as the largest of all ranks. What is not finite becomes infinite, since a maximum over
/// ranks may lose a NaN. To an exact twin they are constants.
torch::Tensor over_ranks(const torch::Tensor& amax, const MaxOverRanks& max) {
  if (!max)
    return amax;
  const auto values = [&] {
    const exact::ValuesAlone alone;
    torch::Tensor largest =
        amax.masked_fill(amax.isfinite().logical_not(), std::numeric_limits<double>::infinity()).contiguous();
    max(largest);
    return largest;
  };
  return exact::filled_with_constants(values());
}

/// Two levels of scales: e4m3 for each block, relative to float32 of the tensor.
torch::Tensor by_two_scales(const torch::Tensor& x, const torch::Tensor& amax, const Quantisation& how) {
  const torch::Tensor whole = over_ranks(amax.amax(), how.matrix_max);
  const torch::Tensor encode = (whole.reciprocal() * (6.0 * 448.0)).clamp_max(largest_float);
  const torch::Tensor decode = encode.reciprocal();
  const torch::Tensor block = rounded(amax / 6.0 * encode, how, NarrowFormat::e4m3);
  const torch::Tensor scale = used(block * decode, how);
  return rounded(x * scale.reciprocal().clamp_max(largest_float), how, how.format) * scale;
}

/// \param x  blocks in any shape. \param amax  largest magnitude of each, to be broadcast
torch::Tensor scaled(const torch::Tensor& x, const torch::Tensor& amax, const Quantisation& how) {
  const NarrowFormat format = how.format;
  switch (how.rule) {
    case ScaleRule::float32:
      return by_factor(x, factor_of(amax, format).to(x.scalar_type()), how);
    case ScaleRule::power_of_two: {
      const torch::Tensor r = factor_of(amax, format);
      return by_factor(x, power_of_two(floor_log2(r), x).masked_fill(amax.isfinite().logical_not(), nan),
                       how);
    }
    case ScaleRule::division: {
      const torch::Tensor s = amax / largest(format);
      return by_scale(x, s.masked_fill(s.eq(0), 1), how);
    }
    case ScaleRule::division_up:
    case ScaleRule::mx_up:
      return by_scale(x, e8m0(ceil_log2(amax / largest(format)), amax), how);
    case ScaleRule::mx:
      return by_scale(x, e8m0(floor_log2(amax) - largest_exponent(format), amax), how);
    case ScaleRule::nvfp4:
      return by_two_scales(x, amax, how);
    case ScaleRule::unit:
      return rounded(x, how, format);
  }
  throw InternalError("unknown rule of scales");
}

/// Returns the largest magnitude of each block, [R / r, 1, C / c, 1]. To an exact twin it is a constant.
/// \param blocks  [R / r, r, C / c, c]
torch::Tensor amax_of(const torch::Tensor& blocks) {
  const auto values = [&] {
    const exact::ValuesAlone alone;
    return blocks.abs().amax({1, 3}, /*keepdim=*/true);
  };
  return exact::filled_with_constants(values());
}

}  // namespace

double largest(NarrowFormat format) {
  return format == NarrowFormat::e4m3 ? 448 : format == NarrowFormat::e5m2 ? 57344 : 6;
}

torch::Tensor rounded_to(const torch::Tensor& x, NarrowFormat format) {
  const torch::Tensor bounded =
      x.masked_fill(x.isfinite().logical_not(), nan).clamp_(-largest(format), largest(format));
  if (format == NarrowFormat::e2m1)
    return rounded_to_e2m1(bounded);
  const torch::ScalarType narrow = format == NarrowFormat::e4m3 ? torch::kFloat8_e4m3fn : torch::kFloat8_e5m2;
  return bounded.to(narrow).to(x.scalar_type());
}

torch::Tensor quantised(const torch::Tensor& x, const Quantisation& how) {
  if (x.numel() == 0)
    return x;
  const int64_t R = x.size(0), C = x.size(1);
  const int64_t r = how.rows > 0 ? how.rows : R, c = how.columns > 0 ? how.columns : C;
  const int64_t more_rows = (r - R % r) % r, more_columns = (c - C % c) % c;
  const torch::Tensor padded = at::constant_pad_nd(x, {0, more_columns, 0, more_rows});
  const torch::Tensor blocks = padded.view({padded.size(0) / r, r, padded.size(1) / c, c});
  return scaled(blocks, over_ranks(amax_of(blocks), how.block_max), how)
      .view(padded.sizes())
      .narrow(0, 0, R)
      .narrow(1, 0, C)
      .contiguous();
}

}  // namespace parity::reference
