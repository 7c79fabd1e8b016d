// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/data/order/blend.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace parity::reference {

Blend::Blend(std::vector<double> weights) : weights_(std::move(weights)), taken_(weights_.size(), 0) {
  const double sum = std::accumulate(weights_.begin(), weights_.end(), 0.0);
  for (double& weight : weights_)
    weight /= sum;
}

Blend::Place Blend::next() {
  const auto rows = static_cast<double>(std::max<int64_t>(next_index_++, 1));
  size_t source = 0;
  double most = 0;
  for (size_t d = 0; d < weights_.size(); ++d)
    if (const double behind = weights_[d] * rows - static_cast<double>(taken_[d]); d == 0 || behind > most) {
      source = d;
      most = behind;
    }
  return {source, taken_[source]++};
}

void Blend::restart() {
  next_index_ = 0;
  std::ranges::fill(taken_, 0);
}

Blend::Place Blend::at(int64_t index) {
  if (index < next_index_)
    restart();
  while (next_index_ < index)
    next();
  return next();
}

std::vector<int64_t> Blend::counts(int64_t rows) const {
  Blend again = *this;
  again.restart();
  while (again.next_index_ < rows)
    again.next();
  return again.taken_;
}

Row BlendedRows::row(int64_t index) {
  const Blend::Place place = blend_.at(index);
  return sources_[place.source]->row(place.row);
}

bool BlendedRows::positions_restart() const {
  return std::ranges::any_of(sources_, [](const auto& source) { return source->positions_restart(); });
}

}  // namespace parity::reference
