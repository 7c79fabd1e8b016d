// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/parallel/model/tensor_parallel.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string_view>

#include "reference/parallel/core/layout.hpp"
#include "reference/parallel/core/parts.hpp"

namespace parity::reference {
namespace {

// Dimensions of [B, S, D].
constexpr int64_t sequence = 1;

/// Returns whether the gradient of a whole weight is a term on each rank, also if the rank sees all tokens.
/// Whole weights inside attention (norms of heads, the weights and norms of latents) see only this rank's
/// heads. A router sees only this rank's shards of the experts, and an adapter only its part of a matrix.
/// Biases of wo and w2 are added after the sum.
bool has_term(const std::string& name) {
  if (name.ends_with(".wo.bias") || name.ends_with(".w2.bias"))
    return false;
  return name.find(".attention.") != std::string::npos || name.ends_with("router.gate.weight") ||
         is_adapter(name);
}

Parameters cut_weights(Decoder& model, const Group& ranks, bool splits_sequence) {
  Parameters parts;
  model.visit_weights([&](const std::string& name, torch::Tensor& weight) {
    const std::optional<int64_t> dim = tensor_parallel_cut(name);
    if (!dim) {
      // Weights outside of matrices see only this rank's tokens, if the sequence is cut.
      const std::vector<std::string> partial =
          splits_sequence || has_term(name) ? std::vector<std::string>{"tp"} : std::vector<std::string>{};
      parts.push_back({name, weight, replicated_over({}, weight, "tp", ranks), partial});
      return;
    }
    const bool trains = weight.requires_grad();
    const torch::Tensor part = own_part(weight.detach(), *dim, ranks).clone(at::MemoryFormat::Contiguous);
    parts.push_back({name, part, sharded_over({}, weight, *dim, "tp", ranks), {}});
    weight.set_data(torch::empty({0}, weight.options().requires_grad(false)));
    weight = part.requires_grad_(trains);
  });
  return parts;
}

/// The data that the hooks of one model share.
struct Around {
  GroupPointer ranks;
  bool splits_sequence = false;
  bool sums_as_tree = false;
  int64_t seq_len = 0;    ///< of the tokens that entered last
  torch::Tensor foreign;  ///< [B, S, 1] bool: tokens whose rows other ranks hold

  /// Sums the terms of the ranks after a product.
  torch::Tensor sum(const torch::Tensor& x_BSD) const {
    if (sums_as_tree)
      return splits_sequence ? reduce_scatter_as_tree(x_BSD, sequence, ranks)
                             : sum_over_ranks_as_tree(x_BSD, ranks);
    return splits_sequence ? reduce_scatter(x_BSD, sequence, ranks) : sum_over_ranks(x_BSD, ranks);
  }
  /// Enters the products of which each rank has a part.
  torch::Tensor enter(const torch::Tensor& x_BSD) const {
    return splits_sequence ? gather_for_ranks(x_BSD, sequence, seq_len, ranks) : enter_ranks(x_BSD, ranks);
  }
};

void surround_embedding(ModuleHooks& hooks, const std::shared_ptr<Around>& around, IndexRange rows) {
  hooks.before("tokens", [around](const torch::Tensor& tokens_BS) {
    around->seq_len = tokens_BS.size(sequence);
    return tokens_BS;
  });
  hooks.before("tok_embeddings", [around, rows](const torch::Tensor& tokens_BS) {
    const torch::Tensor foreign = tokens_BS.lt(rows.first).logical_or_(tokens_BS.ge(rows.end));
    around->foreign = foreign.unsqueeze(-1);
    return (tokens_BS - rows.first).masked_fill_(foreign, 0);
  });
  hooks.after("tok_embeddings", [around](const torch::Tensor& h_BSD) {
    return around->sum(h_BSD.masked_fill(around->foreign, 0));
  });
}

// The terms of routed and shared experts are added on each rank first.
void surround_block(ModuleHooks& hooks, const std::shared_ptr<Around>& around, const std::string& layer,
                    bool has_experts) {
  for (const auto& [part, last] : {std::pair("attention", ".wo"),
                                   has_experts ? std::pair("moe", "") : std::pair("feed_forward", ".w2")}) {
    const std::string name = layer + "." + part;
    hooks.before(name, [around](const torch::Tensor& x) { return around->enter(x); });
    hooks.after(name + last, [around](const torch::Tensor& x) { return around->sum(x); });
    hooks.sum(name + last);
  }
  // A separate node, so that the gradients of the two paths through a norm are added before the residual's
  // gradient. PyTorch's SequenceParallel has this order.
  if (around->splits_sequence)
    for (const char* norm : {".attention_norm", ".ffn_norm"})
      hooks.before(layer + norm, [](const torch::Tensor& x) { return x.view_as(x); });
}

void surround_output(ModuleHooks& hooks, const std::shared_ptr<Around>& around, int64_t vocabulary,
                     bool gathers_logits) {
  const auto enter = [around](const torch::Tensor& x) { return around->enter(x); };
  if (around->splits_sequence)
    hooks.after("norm", enter);
  else
    hooks.before("output", enter);
  if (gathers_logits)
    hooks.after("output", [around, vocabulary](const torch::Tensor& x) {
      return gather(x, x.dim() - 1, vocabulary, around->ranks);
    });
}

}  // namespace

std::optional<int64_t> tensor_parallel_cut(std::string_view name) {
  constexpr std::array<std::string_view, 11> by_rows = {"tok_embeddings", "wq",    "wk", "wv", "wqkv",  "wg",
                                                        "wq_b",           "wkv_b", "w1", "w3", "output"};
  constexpr std::array<std::string_view, 2> by_columns = {"wo", "w2"};
  if (name.ends_with(".attention.sinks"))
    return 0;
  const auto take = [&name](std::string_view suffix) {
    const bool has = name.ends_with(suffix);
    name.remove_suffix(has ? suffix.size() : 0);
    return has;
  };
  const bool is_bias = take(".bias"), is_matrix = take(".weight");
  const bool is_a = take(".lora_a"), is_b = take(".lora_b");
  const int64_t rows = is_matrix || is_bias ? 0 : 1;               // of experts, which are stacked
  const std::string_view last = name.substr(name.rfind('.') + 1);  // npos + 1 is 0
  if (std::find(by_rows.begin(), by_rows.end(), last) != by_rows.end())
    return is_a ? std::nullopt : std::optional(rows);
  if (std::find(by_columns.begin(), by_columns.end(), last) != by_columns.end())
    return is_b || is_bias ? std::nullopt : std::optional(rows + 1);
  return std::nullopt;
}

Parameters apply_tensor_parallel(Decoder& model, const ParallelConfig& config, const GroupPointer& ranks) {
  if (ranks->size() == 1)
    return model.parameters();
  const ModelDimensions& dimensions = model.dimensions();
  Parameters parts = cut_weights(model, *ranks, config.sequence_parallel);
  const auto around =
      std::make_shared<Around>(Around{ranks, config.sequence_parallel, config.tp_sum_pieces > 0, 0, {}});
  surround_embedding(model.hooks(), around, part_of(dimensions.vocab_size, ranks->size(), ranks->rank()));
  for (int64_t i = 0; i < dimensions.n_layers; ++i)
    surround_block(model.hooks(), around, "layers." + std::to_string(i), dimensions.moe.is_in(i));
  surround_output(model.hooks(), around, dimensions.vocab_size, !config.loss_parallel);
  return parts;
}

}  // namespace parity::reference
