// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/rl/generator/sampling.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "reference/data/random.hpp"

namespace parity::reference {

double uniform_of(uint64_t seed, uint64_t stream, int64_t place) {
  constexpr uint64_t sampling = 0x73616d70;  // of all that a seed serves
  const uint64_t own = IntegerStream(seed, sampling, stream).next();
  const uint64_t bits = IntegerStream(own, sampling, static_cast<uint64_t>(place)).next();
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

int64_t sampled_token(const torch::Tensor& logits_V, double temperature, double uniform) {
  const torch::Tensor wide = logits_V.to(torch::kFloat64).contiguous();
  const auto* first = wide.const_data_ptr<double>();
  const auto* end = first + wide.numel();
  const auto* highest = std::max_element(first, end);
  if (temperature == 0)
    return highest - first;
  std::vector<double> sums;
  double sum = 0;
  for (const auto* x = first; x != end; ++x)
    sums.push_back(sum += std::exp((*x - *highest) / temperature));
  // `uniform * sum` may round up to the last sum: never go beyond the last token with a probability.
  const auto chosen = std::min(std::upper_bound(sums.begin(), sums.end(), uniform * sum),
                               std::lower_bound(sums.begin(), sums.end(), sum));
  return chosen - sums.begin();
}

}  // namespace parity::reference
