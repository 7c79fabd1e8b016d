// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <variant>

#include <torch/types.h>

#include "reference/config/model_names.hpp"
#include "reference/model/decoder/attention.hpp"
#include "reference/model/decoder/feed_forward.hpp"
#include "reference/model/decoder/gated_delta_net.hpp"
#include "reference/model/decoder/latent_attention.hpp"
#include "reference/model/decoder/moe.hpp"

namespace parity::reference {

/// One block of a decoder: h = x + attention(norm(x)); out = h + feed_forward(norm(h)), or moe(norm(h)).
/// A gated delta net may replace attention.
struct Block {
  std::variant<Attention, LatentAttention, GatedDeltaNet> attention;
  FeedForward feed_forward;  ///< without weights if the block has experts
  std::optional<Moe> moe;
  Norm attention_norm;
  Norm ffn_norm;

  /// Allocates every weight without initialising it.
  Block(const ModelDimensions& dimensions, int64_t index, const torch::TensorOptions& options);
  /// Returns the name of the part that mixes tokens: attention or delta_net.
  const char* mixer_name() const;
  /// Visits the weights in torchtitan's order. Their names begin with `prefix`.
  void visit(const std::string& prefix, const WeightVisitor& visitor);
};

}  // namespace parity::reference
