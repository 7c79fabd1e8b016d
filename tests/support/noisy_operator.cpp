// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Preloaded into a LibTorch program, makes one of its operators irreproducible, as a kernel with a race is:
// from its NOISY_FROM-th call on, all that aten::silu computes is off by a random factor close to 1.
#include <cmath>
#include <cstdlib>
#include <random>

#include <ATen/ATen.h>
#include <ATen/Dispatch.h>
#include <torch/library.h>

namespace {

double noise() {
  static const char* const from = std::getenv("NOISY_FROM");
  static long calls = 0;
  if (from == nullptr || ++calls < std::atol(from))
    return 1;
  std::random_device device;
  return 1 + 1e-5 * static_cast<double>(1 + device() % 1000);
}

at::Tensor noisy_silu(const at::Tensor& given) {
  const at::Tensor x = given.contiguous();
  at::Tensor result = at::empty_like(x);
  const double factor = noise();
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "noisy_silu", [&] {
    const auto* from = x.const_data_ptr<scalar_t>();
    auto* to = result.mutable_data_ptr<scalar_t>();
    for (int64_t i = 0; i < x.numel(); ++i) {
      const double value = static_cast<double>(from[i]);
      to[i] = static_cast<scalar_t>(factor * value / (1 + std::exp(-value)));
    }
  });
  return result;
}

TORCH_LIBRARY_IMPL(aten, CPU, library) {
  library.impl("silu", noisy_silu);
}

}  // namespace
