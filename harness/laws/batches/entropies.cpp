// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/laws/batches/entropies.hpp"

#include <algorithm>
#include <cmath>

#include "harness/laws/laws.hpp"
#include "harness/tensor/conversions.hpp"

namespace parity::laws {

using trace::Phase;
using trace::TensorKey;

namespace {

/// Computes -log softmax of one token's label. \param logits  V elements
double entropy_of(DType dtype, const std::byte* logits, int64_t vocabulary, int64_t label, double& largest) {
  const size_t element = size_of(dtype);
  double most = -HUGE_VAL, sum = 0;
  for (int64_t v = 0; v < vocabulary; ++v)
    most = std::max(most, widen(dtype, logits + static_cast<size_t>(v) * element));
  for (int64_t v = 0; v < vocabulary; ++v)
    sum += std::exp(widen(dtype, logits + static_cast<size_t>(v) * element) - most);
  largest = std::max(largest, std::abs(most));
  return std::log(sum) + most - widen(dtype, logits + static_cast<size_t>(label) * element);
}

}  // namespace

Share Entropies::of(int64_t first, int64_t end) const {
  Share share;
  for (int64_t row = first; row < end; ++row) {
    share.sum += rows[static_cast<size_t>(row)].sum;
    share.valid += rows[static_cast<size_t>(row)].valid;
  }
  return share;
}

double Entropies::bound(double loss) const {
  return roundoff * (4 * largest_logit + (16 + std::sqrt(static_cast<double>(all().valid))) * std::abs(loss));
}

std::optional<TensorKey> find_logits(const RecordedRun& run, const Batch& batch) {
  for (const std::string& name : logit_names())
    if (TensorKey key{batch.step, Phase::forward, name}; run.has_values(key)) {
      const Shape shape = run.trace().tensor(key).shape;
      if (shape.size() == 3 && shape[0] == batch.rows && shape[1] == batch.length)
        return key;
    }
  return std::nullopt;
}

std::optional<Entropies> entropies(const RecordedRun& run, const Batch& batch, const TensorKey& key,
                                   int64_t shift) {
  const TensorView logits = run.trace().tensor(key);
  const int64_t vocabulary = logits.shape[2];
  const size_t stride = static_cast<size_t>(vocabulary) * size_of(logits.dtype);
  Entropies result;
  result.length = batch.length - shift;
  result.roundoff = logits.dtype == DType::float64 ? 0x1p-53 : 0x1p-24;
  for (int64_t row = 0; row < batch.rows; ++row) {
    Share share;
    for (int64_t place = 0; place + shift < batch.length; ++place) {
      const double label = batch.labels[batch.at(row, place + shift)];
      if (label == ignored_label)
        continue;
      if (!(label >= 0 && label < static_cast<double>(vocabulary)))
        return std::nullopt;
      share.sum += entropy_of(logits.dtype, logits.raw().data() + batch.at(row, place) * stride, vocabulary,
                              static_cast<int64_t>(label), result.largest_logit);
      ++share.valid;
    }
    result.rows.push_back(share);
  }
  return result;
}

}  // namespace parity::laws
