// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <optional>

#include <torch/types.h>

namespace parity::reference {

/// What attention's scores are made of, and what else the softmax's denominator has:
///
///   score_qk  = cap(q k^T scale)                    cap(x) = c tanh(x / c), or x without a cap
///   weight_qk = exp(score_qk) / (sum over k of exp(score_qk) + exp(sink))    the last term with sinks only
///
/// Source: Gemma 2 (arXiv:2408.00118, section 2); gpt-oss (arXiv:2508.10925).
struct ScoreRule {
  std::optional<double> scale = {};  ///< none = 1 / sqrt(hd)
  double softcap = 0;                ///< c; 0 = no cap
  torch::Tensor sinks_H = {};        ///< [H] a logit of each query head; undefined = none

  ScoreRule() = default;
  ScoreRule(std::optional<double> own_scale) : scale(own_scale) {}  // NOLINT(google-explicit-constructor)

  bool is_plain() const { return softcap == 0 && !sinks_H.defined(); }
  /// \param width  hd
  double scale_for(int64_t width) const { return scale.value_or(1 / std::sqrt(static_cast<double>(width))); }
};

}  // namespace parity::reference
