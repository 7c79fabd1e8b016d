// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bitset>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reference/config/run_config.hpp"

namespace parity::reference {

/// Which elements of a head RoPE rotates together.
enum class Rope { complex, rotate_half };
/// How RoPE's frequencies are stretched: see rope_table().
enum class RopeScaling { none, llama3, llama4, yarn };
/// How weights are drawn: see initialize().
enum class Initialization { depth_scaled, normal, gpt2 };
enum class RouterScore { softmax, sigmoid };
/// How a token's vector is normalized: by its root mean square, or by its mean and variance (with a bias).
enum class NormKind { rms, layer };
enum class FeedForwardKind { swiglu, gelu_tanh };
/// Which linear layers have biases; each value includes those before it.
enum class Biases { none, qkv, attention, all };

/// A mixture of experts in the place of some blocks' feed-forward layer. Source: NUMERICS.md 4.2 and 4.5.
struct MoeDimensions {
  int64_t experts = 0;        ///< E; 0 = every block is dense
  int64_t top_k = 1;          ///< K experts a token
  int64_t hidden = 0;         ///< width of each expert
  int64_t shared_hidden = 0;  ///< width of the shared experts, which take every token; 0 = none
  int64_t dense_blocks = 0;   ///< first blocks that have no experts
  int64_t every = 1;          ///< of the others, blocks k - 1, 2 k - 1, ... have them
  RouterScore score = RouterScore::sigmoid;
  bool score_before = false;  ///< scores multiply the expert's input, not its output
  bool route_norm = false;    ///< a token's K scores are divided by their sum
  double route_scale = 1;
  int64_t groups = 0;  ///< of experts, of which a token uses limited_groups; 0 = none
  int64_t limited_groups = 0;
  double load_balance = 0;     ///< change of the experts' biases at each update; 0 = no biases
  bool force_balance = false;  ///< experts in turn, whatever the scores
  ExpertMatmul matmul = ExpertMatmul::loop;
  BalanceLoss balance_loss = BalanceLoss::none;
  double balance_loss_coeff = 0;
  double z_loss_coeff = 0;     ///< 0 = no z-loss
  double capacity_factor = 0;  ///< of an expert, in mean loads; 0 = no token is dropped
  DropRule drop = DropRule::position;

  /// Returns whether the router adds terms to the loss.
  bool has_losses() const { return balance_loss != BalanceLoss::none || z_loss_coeff > 0; }
  bool is_in(int64_t block) const { return experts > 0 && block >= dense_blocks && (block + 1) % every == 0; }
};

/// Multi-head latent attention: keys and values of all heads come from one narrow latent. Source: NUMERICS.md
/// 4.4.
struct LatentDimensions {
  int64_t kv_rank = 0;     ///< width of the latent; 0 = grouped-query attention
  int64_t q_rank = 0;      ///< width of the queries' latent; 0 = queries come from the residual stream
  int64_t nope_width = 0;  ///< elements of a head that RoPE leaves unchanged
  int64_t rope_width = 0;  ///< elements after them that RoPE rotates; heads share those of keys
  int64_t value_width = 0;
  double mscale = 1;  ///< of YaRN's correction of the softmax's scale
};

/// Low-rank adapters: W x becomes W x + scale B (A x). Source: LoRA (arXiv:2106.09685).
struct LoraDimensions {
  int64_t rank = 0;  ///< rows of A, columns of B; 0 = none
  double scale = 1;
  bool merged = false;          ///< (W + scale B A) x
  std::bitset<7> targets = {};  ///< by LoraTarget

  bool adapts(LoraTarget target) const { return rank > 0 && targets.test(static_cast<size_t>(target)); }
};

/// Gated delta nets in the place of some blocks' attention. They have the query heads as value heads and the
/// key heads as key heads, all of the same width. Source: gated_delta_net.hpp.
struct DeltaDimensions {
  int64_t attention_every = 0;  ///< blocks k - 1, 2 k - 1, ... attend; 0 = all
  DeltaForm form = DeltaForm::chunked;
  int64_t chunk = 64;  ///< tokens

  bool is_in(int64_t block) const { return attention_every > 0 && (block + 1) % attention_every != 0; }
};

/// The complete dimensions of a decoder. The defaults are those of Llama 3's debug model.
/// Source: NUMERICS.md 4.1 to 4.3.
struct ModelDimensions {
  int64_t dim = 256;
  int64_t n_layers = 6;
  int64_t n_heads = 16;
  int64_t n_kv_heads = 16;
  int64_t vocab_size = 2048;
  int64_t ffn_hidden = 768;
  int64_t max_seq_len = 2048;
  double rope_theta = 5e5;
  double norm_eps = 1e-5;
  RopeScaling rope_scaling = RopeScaling::llama3;
  int64_t nope_every = 0;  ///< blocks 0, k, 2 k, ... have no RoPE; 0 = none
  int64_t head_width = 0;  ///< d; 0 = dim / n_heads
  Rope rope = Rope::complex;
  RopeWeights rope_weights = RopeWeights::own;
  bool qk_norm = false;    ///< RMSNorm of each query and key head
  bool tied = false;       ///< the embedding is the output projection too
  bool fused_qkv = false;  ///< q, k and v are one matrix, rows interleaved by key head
  Initialization initialization = Initialization::depth_scaled;
  MoeDimensions moe = {};
  LatentDimensions latent = {};
  DeltaDimensions delta = {};
  double attention_softcap = 0;
  double logit_softcap = 0;
  EmbeddingScale embedding_scale = EmbeddingScale::none;
  bool attention_sinks = false;
  AttentionGate gate = AttentionGate::none;
  Biases biases = Biases::none;
  bool learned_positions = false;  ///< in place of RoPE
  NormKind norm = NormKind::rms;
  FeedForwardKind feed_forward = FeedForwardKind::swiglu;
  int64_t mtp_depth = 0;  ///< modules of multi-token prediction
  LoraDimensions lora = {};

  /// Returns whether a block has no positions and ignores the rules that make attention local.
  bool is_nope(int64_t layer) const { return nope_every > 0 && layer % nope_every == 0; }
  bool has_rope(int64_t layer) const { return !learned_positions && !is_nope(layer); }

  bool is_latent() const { return latent.kv_rank > 0; }
  /// Returns the width of a head's queries and keys.
  int64_t head_dim() const { return head_width > 0 ? head_width : dim / n_heads; }
  /// Returns the number of elements of a head that RoPE rotates.
  int64_t rope_dim() const { return is_latent() ? latent.rope_width : head_dim(); }
};

/// Returns the names of all models.
std::vector<std::string> model_names();

/// Returns the dimensions of a named model. \throws UserError for an unknown name.
ModelDimensions named_dimensions(std::string_view model);

/// Returns the dimensions of a named model with changes. The feed-forward width follows a changed `dim`:
/// int(8 dim / 3) rounded up to a multiple of 256. \throws UserError for an unknown name.
ModelDimensions dimensions_of(std::string_view model, const ArchitectureConfig& architecture,
                              const MoeConfig& moe = {});
/// Returns the dimensions of a config's model. \throws as above
ModelDimensions dimensions_of(const RunConfig& config);

}  // namespace parity::reference
