// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/train/step/update_norm.hpp"

#include <array>
#include <cmath>
#include <numeric>

#include "reference/parallel/core/sharded_norm.hpp"

namespace parity::reference {
namespace {

/// Returns the sum of squared differences in eight partial sums: a fixed order that vectorizes.
template <class T>
double squared_distance(const T* a, const T* b, int64_t count) {
  constexpr int64_t lanes = 8;
  std::array<double, lanes> sums{};
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes)
    for (int64_t lane = 0; lane < lanes; ++lane) {
      const double difference = static_cast<double>(a[i + lane]) - static_cast<double>(b[i + lane]);
      sums[static_cast<size_t>(lane)] += difference * difference;
    }
  for (; i < count; ++i) {
    const double difference = static_cast<double>(a[i]) - static_cast<double>(b[i]);
    sums[0] += difference * difference;
  }
  double total = 0;
  for (const double sum : sums)
    total += sum;
  return total;
}

/// Runs on the CPU for every device, so that there is only one order of the sum.
double squared_distance(const torch::Tensor& here, const torch::Tensor& there) {
  const torch::Tensor a = here.detach().cpu(), b = there.cpu();
  if (a.scalar_type() == torch::kFloat64)
    return squared_distance(a.const_data_ptr<double>(), b.const_data_ptr<double>(), a.numel());
  return squared_distance(a.const_data_ptr<float>(), b.const_data_ptr<float>(), a.numel());
}

}  // namespace

UpdateNorm::UpdateNorm(const Parameters& parameters, const Group& stage, const Group& stages)
    : parameters_(parameters), stage_(stage), stages_(stages) {
  for (const Parameter& parameter : parameters_)
    previous_.push_back(torch::empty_like(parameter.value.detach()));
}

void UpdateNorm::before() {
  for (size_t i = 0; i < previous_.size(); ++i)
    previous_[i].copy_(parameters_[i].value.detach());
}

double UpdateNorm::after() const {
  const auto count = static_cast<int64_t>(previous_.size());
  const torch::Tensor squares = torch::zeros({count}, torch::kFloat64);
  for (size_t i = 0; i < previous_.size(); ++i)
    squares[static_cast<int64_t>(i)].fill_(squared_distance(parameters_[i].value, previous_[i]));
  const torch::Tensor whole = sum_over_parts(parameters_, squares, stage_);
  const torch::Tensor total = torch::full(
      {1}, std::accumulate(whole.const_data_ptr<double>(), whole.const_data_ptr<double>() + count, 0.0),
      torch::kFloat64);
  stages_.all_reduce(total);
  return std::sqrt(total.item<double>());
}

}  // namespace parity::reference
