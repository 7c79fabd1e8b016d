// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A custom operator library, as an author of kernels builds one: operators of namespace `ours`, of which some
// misbehave, and functions of C.

#include <chrono>
#include <csignal>
#include <cstdint>
#include <thread>
#include <vector>

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

namespace {

using at::Tensor;

Tensor inverse_norm(const Tensor& x, double eps) {
  return (x * x).mean(-1, /*keepdim=*/true).add(eps).rsqrt();
}

/// RMSNorm with a backward pass of its own.
struct RmsNorm : torch::autograd::Function<RmsNorm> {
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& x, const Tensor& weight,
                        double eps) {
    context->save_for_backward({x, weight});
    context->saved_data["eps"] = eps;
    return x * inverse_norm(x, eps) * weight;
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list seeds) {
    const auto saved = context->get_saved_variables();
    const Tensor &x = saved[0], &weight = saved[1];
    const Tensor r = inverse_norm(x, context->saved_data["eps"].toDouble());
    const Tensor scaled = seeds[0] * weight;
    const Tensor by_x = r * (scaled - x * r * r * (scaled * x).mean(-1, true));
    return {by_x, (seeds[0] * x * r).sum(0), Tensor()};
  }
};

Tensor rms_norm(const Tensor& x, const Tensor& weight, double eps) {
  return RmsNorm::apply(x, weight, eps);
}

/// Forgets the last row where there are three.
Tensor short_norm(const Tensor& x, const Tensor& weight, double eps) {
  const Tensor rows = x.size(0) == 3 ? at::cat({x.narrow(0, 0, 2), at::zeros_like(x.narrow(0, 2, 1))}) : x;
  return RmsNorm::apply(rows, weight, eps);
}

Tensor crash(const Tensor& x, const Tensor& weight, double) {
  if (x.size(0) == 3)
    std::raise(SIGSEGV);
  return x * weight;
}

Tensor in_place(const Tensor& x, const Tensor& weight, double) {
  const at::NoGradGuard guard;
  x.mul_(2);
  return x * weight;
}

Tensor view(const Tensor& x, const Tensor&, double) {
  return x.narrow(0, 0, x.size(0));
}

Tensor endless(const Tensor& x, const Tensor&, double) {
  for (;;)
    std::this_thread::sleep_for(std::chrono::seconds(1));
  return x;
}

Tensor refuse(const Tensor& x, const Tensor&, double) {
  TORCH_CHECK(x.size(0) != 2, "no kernel for two rows");
  return x * 1;
}

std::vector<Tensor> none(const Tensor&, const Tensor&, double) {
  return {};
}

}  // namespace

TORCH_LIBRARY(ours, library) {
  library.def("rms_norm(Tensor x, Tensor weight, float eps) -> Tensor", rms_norm);
  library.def("short_norm(Tensor x, Tensor weight, float eps) -> Tensor", short_norm);
  library.def("crash(Tensor x, Tensor weight, float eps) -> Tensor", crash);
  library.def("in_place(Tensor x, Tensor weight, float eps) -> Tensor", in_place);
  library.def("view(Tensor x, Tensor weight, float eps) -> Tensor", view);
  library.def("endless(Tensor x, Tensor weight, float eps) -> Tensor", endless);
  library.def("refuse(Tensor x, Tensor weight, float eps) -> Tensor", refuse);
  library.def("none(Tensor x, Tensor weight, float eps) -> Tensor[]", none);
}

extern "C" {

__attribute__((visibility("default"))) void twice(const float* x, float* out, int64_t rows) {
  for (int64_t i = 0; i < 8 * rows; ++i)
    out[i] = 2 * x[i];
}
__attribute__((visibility("default"))) void crash_of_c(const float* x, float* out, int64_t rows) {
  if (rows == 3)
    std::raise(SIGFPE);
  twice(x, out, rows);
}
__attribute__((visibility("default"))) void in_place_of_c(float* x, float* out, int64_t rows) {
  twice(x, out, rows);
  x[0] = 0;
}
/// Writes behind its output.
__attribute__((visibility("default"))) void too_far(const float* x, float* out, int64_t rows) {
  twice(x, out, rows);
  for (int64_t i = 0; i < 8; ++i)
    out[8 * rows + i] = 1;
}
}
