// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// PyTorch's own lists, as of 2.11: the tag nondeterministic_seeded of native_functions.yaml, and the
// documentation of torch.use_deterministic_algorithms, whose functions and modules stand here by the
// operators that they call.
#include <algorithm>
#include <array>

#include "harness/compare/traces/recurrence.hpp"

namespace parity::compare {
namespace {

constexpr std::string_view random_reason = "PyTorch tags it nondeterministic_seeded: it draws random numbers";
constexpr std::string_view listed_reason =
    "the documentation of torch.use_deterministic_algorithms lists it as nondeterministic";

constexpr auto random_operators = std::to_array<std::string_view>({"_fused_dropout",
                                                                   "_sample_dirichlet",
                                                                   "_standard_gamma",
                                                                   "alpha_dropout",
                                                                   "bernoulli",
                                                                   "binomial",
                                                                   "cauchy",
                                                                   "dropout",
                                                                   "exponential",
                                                                   "feature_alpha_dropout",
                                                                   "feature_dropout",
                                                                   "geometric",
                                                                   "log_normal",
                                                                   "multinomial",
                                                                   "native_dropout",
                                                                   "normal",
                                                                   "normal_functional",
                                                                   "poisson",
                                                                   "rand",
                                                                   "rand_like",
                                                                   "randint",
                                                                   "randint_like",
                                                                   "randn",
                                                                   "randn_like",
                                                                   "random",
                                                                   "randperm",
                                                                   "rrelu",
                                                                   "rrelu_with_noise",
                                                                   "uniform"});

constexpr auto listed_operators = std::to_array<std::string_view>({"_adaptive_avg_pool2d_backward",
                                                                   "_adaptive_avg_pool3d_backward",
                                                                   "_ctc_loss_backward",
                                                                   "_embedding_bag_backward",
                                                                   "_embedding_bag_dense_backward",
                                                                   "_index_put_impl",
                                                                   "adaptive_max_pool2d_backward",
                                                                   "avg_pool3d_backward",
                                                                   "bincount",
                                                                   "convolution",
                                                                   "convolution_backward",
                                                                   "cudnn_convolution",
                                                                   "cumsum",
                                                                   "fractional_max_pool3d_backward",
                                                                   "gather_backward",
                                                                   "grid_sampler_2d_backward",
                                                                   "grid_sampler_3d_backward",
                                                                   "histc",
                                                                   "index_add",
                                                                   "index_copy",
                                                                   "index_put",
                                                                   "index_select_backward",
                                                                   "max_pool3d_with_indices_backward",
                                                                   "max_unpool2d",
                                                                   "max_unpool3d",
                                                                   "median",
                                                                   "nll_loss2d_forward",
                                                                   "put",
                                                                   "reflection_pad1d_backward",
                                                                   "reflection_pad2d_backward",
                                                                   "reflection_pad3d_backward",
                                                                   "repeat_interleave",
                                                                   "replication_pad1d_backward",
                                                                   "replication_pad2d_backward",
                                                                   "replication_pad3d_backward",
                                                                   "scatter",
                                                                   "scatter_add",
                                                                   "scatter_reduce",
                                                                   "upsample_bicubic2d_backward",
                                                                   "upsample_bilinear2d_backward",
                                                                   "upsample_linear1d_backward",
                                                                   "upsample_trilinear3d_backward"});

/// Returns "index_put" for "aten::index_put_".
std::string_view own_name(std::string_view op) {
  if (const size_t at = op.rfind(':'); at != std::string_view::npos)
    op.remove_prefix(at + 1);
  while (op.ends_with('_'))
    op.remove_suffix(1);
  return op;
}

}  // namespace

std::string_view reason_not_deterministic(std::string_view op) {
  if (!op.starts_with("aten::"))
    return "";
  const std::string_view name = own_name(op);
  if (std::ranges::find(random_operators, name) != random_operators.end())
    return random_reason;
  return std::ranges::find(listed_operators, name) != listed_operators.end() ? listed_reason : "";
}

}  // namespace parity::compare
