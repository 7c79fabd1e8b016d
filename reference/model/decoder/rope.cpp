// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/model/decoder/rope.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "reference/model/precision.hpp"

namespace parity::reference {
namespace {

/// By which factor long wavelengths are stretched. Wavelengths between the two bounds are blended; for Llama
/// 4 the bounds are equal.
struct Stretch {
  double factor, low_frequency_factor, high_frequency_factor;
};
constexpr Stretch llama3 = {8, 1, 4};
constexpr Stretch llama4 = {16, 1, 1};
constexpr double original_context = 8192;

/// YaRN as in DeepSeek-V3. Waves with more than `fast` turns in the original context are kept. Waves with
/// fewer than `slow` turns are stretched by `factor`.
struct Yarn {
  double factor, fast, slow, original_context;
};
constexpr Yarn yarn = {40, 32, 1, 4096};

torch::Tensor yarn_frequencies(const torch::Tensor& frequencies, double theta) {
  const auto width = static_cast<double>(2 * frequencies.numel());
  const auto place_of = [&](double turns) {
    return width * std::log(yarn.original_context / (turns * 2 * std::numbers::pi)) / (2 * std::log(theta));
  };
  const double low = std::max(std::floor(place_of(yarn.fast)), 0.0);
  double high = std::min(std::ceil(place_of(yarn.slow)), width - 1);
  if (low == high)
    high += 0.001;
  const torch::Tensor places = torch::arange(frequencies.numel(), frequencies.options());
  const torch::Tensor ramp = ((places - low) / (high - low)).clamp(0, 1);
  return frequencies / yarn.factor * ramp + frequencies * (1 - ramp);
}

torch::Tensor scale_frequencies(const torch::Tensor& frequencies, const Stretch& stretch) {
  const auto [scaling_factor, low_frequency_factor, high_frequency_factor] = stretch;
  const torch::Tensor wavelengths = frequencies.reciprocal() * (2 * std::numbers::pi);
  const torch::Tensor is_long = wavelengths > original_context / low_frequency_factor;
  const torch::Tensor is_short = wavelengths < original_context / high_frequency_factor;
  const torch::Tensor share = (wavelengths.reciprocal() * original_context - low_frequency_factor) /
                              (high_frequency_factor - low_frequency_factor);
  const torch::Tensor blended = (1 - share) * frequencies / scaling_factor + share * frequencies;
  const torch::Tensor outer = torch::where(is_long, frequencies / scaling_factor, frequencies);
  return torch::where(is_long.logical_or(is_short), outer, blended);
}

torch::Tensor rotate_half(const torch::Tensor& x_BSHd, const torch::Tensor& turns) {
  const int64_t d = x_BSHd.size(3), half = d / 2;
  const torch::Tensor other = torch::cat({-x_BSHd.narrow(3, half, half), x_BSHd.narrow(3, 0, half)}, 3);
  return x_BSHd * turns.narrow(-1, 0, d) + other * turns.narrow(-1, d, d);
}

}  // namespace

torch::Tensor rope_table(const ModelDimensions& dimensions, torch::ScalarType dtype) {
  const torch::NoGradGuard no_grad;
  const int64_t width = dimensions.rope_dim();
  const auto options = torch::TensorOptions().dtype(dtype);
  const torch::Tensor exponents = torch::arange(0, width, 2, options) / width;
  torch::Tensor frequencies = at::pow(dimensions.rope_theta, exponents).reciprocal();
  if (dimensions.rope_scaling == RopeScaling::yarn)
    frequencies = yarn_frequencies(frequencies, dimensions.rope_theta);
  else if (dimensions.rope_scaling != RopeScaling::none)
    frequencies =
        scale_frequencies(frequencies, dimensions.rope_scaling == RopeScaling::llama3 ? llama3 : llama4);
  const torch::Tensor angles = torch::outer(torch::arange(dimensions.max_seq_len, options), frequencies);
  if (dimensions.rope == Rope::complex)
    return torch::polar(torch::ones_like(angles), angles);
  return torch::cat({angles.cos(), angles.cos(), angles.sin(), angles.sin()}, 1);
}

double latent_scale(const ModelDimensions& dimensions) {
  const double scale = std::pow(static_cast<double>(dimensions.head_dim()), -0.5);
  if (dimensions.rope_scaling != RopeScaling::yarn)
    return scale;
  const double mscale = 0.1 * dimensions.latent.mscale * std::log(yarn.factor) + 1;
  return scale * mscale * mscale;
}

torch::Tensor rope_turns(const torch::Tensor& table, int64_t seq_len, const torch::Tensor& positions_BS) {
  if (!positions_BS.defined())
    return table.narrow(0, 0, seq_len).unsqueeze(1);
  return table.index_select(0, positions_BS.flatten())
      .view({positions_BS.size(0), seq_len, 1, table.size(1)});
}

torch::Tensor apply_rope(const torch::Tensor& x_BSHd, const torch::Tensor& turns,
                         const ModuleHooks::Operators& operators) {
  if (!turns.is_complex())
    return rotate_half(at_least_float32(x_BSHd), turns).to(x_BSHd.scalar_type());
  const torch::Tensor pairs =
      torch::view_as_complex(at_least_float32(x_BSHd).unflatten(-1, torch::IntArrayRef{-1, 2}));
  return torch::view_as_real(operators.complex_product(pairs, turns)).flatten(3).to(x_BSHd.scalar_type());
}

torch::Tensor permuted_for_rotate_half(const torch::Tensor& weight, int64_t head_dim) {
  return weight.unflatten(0, torch::IntArrayRef{-1, head_dim / 2, 2})
      .transpose(1, 2)
      .flatten(0, 2)
      .contiguous();
}

torch::Tensor permuted_for_complex(const torch::Tensor& weight, int64_t head_dim) {
  return weight.unflatten(0, torch::IntArrayRef{-1, 2, head_dim / 2})
      .transpose(1, 2)
      .flatten(0, 2)
      .contiguous();
}

}  // namespace parity::reference
