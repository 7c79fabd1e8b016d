// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/weights/names.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <span>

#include "harness/base/error.hpp"
#include "reference/weights/gpt2_names.hpp"

namespace parity::reference {
namespace {

/// Names with # for the number of a block and * for that of an expert.
struct Row {
  std::string_view own;
  std::string_view titan_2026;    ///< empty = as own
  std::string_view hugging_face;  ///< empty = not saved there
};

constexpr std::array<Row, 18> common = {{
    {"tok_embeddings.weight", "", "model.embed_tokens.weight"},
    {"norm.weight", "", "model.norm.weight"},
    {"output.weight", "lm_head.weight", "lm_head.weight"},
    {"layers.#.attention.wo.bias", "", "model.layers.#.self_attn.o_proj.bias"},
    {"layers.#.attention_norm.weight", "", "model.layers.#.input_layernorm.weight"},
    {"layers.#.ffn_norm.weight", "", "model.layers.#.post_attention_layernorm.weight"},
    {"layers.#.attention.wo.weight", "", "model.layers.#.self_attn.o_proj.weight"},
    {"layers.#.feed_forward.w1.weight", "", "model.layers.#.mlp.gate_proj.weight"},
    {"layers.#.feed_forward.w2.weight", "", "model.layers.#.mlp.down_proj.weight"},
    {"layers.#.feed_forward.w3.weight", "", "model.layers.#.mlp.up_proj.weight"},
    {"layers.#.moe.router.gate.weight", "", "model.layers.#.mlp.gate.weight"},
    {"layers.#.moe.shared_experts.w1.weight", "", "model.layers.#.mlp.shared_experts.gate_proj.weight"},
    {"layers.#.moe.shared_experts.w2.weight", "", "model.layers.#.mlp.shared_experts.down_proj.weight"},
    {"layers.#.moe.shared_experts.w3.weight", "", "model.layers.#.mlp.shared_experts.up_proj.weight"},
    {"layers.#.moe.experts.w1", "layers.#.moe.routed_experts.inner_experts.w1_EFD",
     "model.layers.#.mlp.experts.*.gate_proj.weight"},
    {"layers.#.moe.experts.w2", "layers.#.moe.routed_experts.inner_experts.w2_EDF",
     "model.layers.#.mlp.experts.*.down_proj.weight"},
    {"layers.#.moe.experts.w3", "layers.#.moe.routed_experts.inner_experts.w3_EFD",
     "model.layers.#.mlp.experts.*.up_proj.weight"},
    {"layers.#.moe.expert_bias", "layers.#.moe.expert_bias_E", ""},
}};

/// Attention whose query heads share key heads.
constexpr std::array<Row, 9> grouped = {{
    {"layers.#.attention.wq.weight", "layers.#.attention.qkv_linear.wq.weight",
     "model.layers.#.self_attn.q_proj.weight"},
    {"layers.#.attention.wk.weight", "layers.#.attention.qkv_linear.wk.weight",
     "model.layers.#.self_attn.k_proj.weight"},
    {"layers.#.attention.wv.weight", "layers.#.attention.qkv_linear.wv.weight",
     "model.layers.#.self_attn.v_proj.weight"},
    {"layers.#.attention.q_norm.weight", "", "model.layers.#.self_attn.q_norm.weight"},
    {"layers.#.attention.k_norm.weight", "", "model.layers.#.self_attn.k_norm.weight"},
    {"layers.#.attention.wq.bias", "layers.#.attention.qkv_linear.wq.bias",
     "model.layers.#.self_attn.q_proj.bias"},
    {"layers.#.attention.wk.bias", "layers.#.attention.qkv_linear.wk.bias",
     "model.layers.#.self_attn.k_proj.bias"},
    {"layers.#.attention.wv.bias", "layers.#.attention.qkv_linear.wv.bias",
     "model.layers.#.self_attn.v_proj.bias"},
    {"layers.#.attention.sinks", "", "model.layers.#.self_attn.sinks"},
}};

/// DeepSeek-V3.
constexpr std::array<Row, 8> latent = {{
    {"layers.#.attention.wq.weight", "", "model.layers.#.self_attn.q_proj.weight"},
    {"layers.#.attention.wq_a.weight", "", "model.layers.#.self_attn.q_a_proj.weight"},
    {"layers.#.attention.q_norm.weight", "", "model.layers.#.self_attn.q_a_layernorm.weight"},
    {"layers.#.attention.wq_b.weight", "", "model.layers.#.self_attn.q_b_proj.weight"},
    {"layers.#.attention.wkv_a.weight", "", "model.layers.#.self_attn.kv_a_proj_with_mqa.weight"},
    {"layers.#.attention.kv_norm.weight", "", "model.layers.#.self_attn.kv_a_layernorm.weight"},
    {"layers.#.attention.wkv_b.weight", "", "model.layers.#.self_attn.kv_b_proj.weight"},
    {"layers.#.moe.expert_bias", "layers.#.moe.expert_bias_E",
     "model.layers.#.mlp.gate.e_score_correction_bias"},
}};

/// Names in Hugging Face's files of Llama 4 that differ from those of other models.
constexpr std::array<Row, 7> llama4 = {{
    {"layers.#.moe.router.gate.weight", "", "model.layers.#.feed_forward.router.weight"},
    {"layers.#.moe.shared_experts.w1.weight", "",
     "model.layers.#.feed_forward.shared_expert.gate_proj.weight"},
    {"layers.#.moe.shared_experts.w2.weight", "",
     "model.layers.#.feed_forward.shared_expert.down_proj.weight"},
    {"layers.#.moe.shared_experts.w3.weight", "", "model.layers.#.feed_forward.shared_expert.up_proj.weight"},
    {"layers.#.feed_forward.w1.weight", "", "model.layers.#.feed_forward.gate_proj.weight"},
    {"layers.#.feed_forward.w2.weight", "", "model.layers.#.feed_forward.down_proj.weight"},
    {"layers.#.feed_forward.w3.weight", "", "model.layers.#.feed_forward.up_proj.weight"},
}};

constexpr std::string_view layers = "layers.";
constexpr std::array<std::string_view, 3> qkv_parts = {"attention.wq.weight", "attention.wk.weight",
                                                       "attention.wv.weight"};
constexpr std::string_view fused_part = "attention.wqkv.weight";

/// Returns the number in "layers.N.", as text; empty if the name has none.
std::string block_of(const std::string& name) {
  if (!name.starts_with(layers))
    return "";
  return name.substr(layers.size(), name.find('.', layers.size()) - layers.size());
}

std::string filled(std::string_view pattern, std::string_view place, const std::string& number) {
  std::string name(pattern);
  if (const size_t at = name.find(place); at != std::string::npos)
    name.replace(at, 1, number);
  return name;
}

class Maker {
 public:
  Maker(std::string_view model, const ModelDimensions& dimensions, WeightNames names)
      : dimensions_(dimensions), names_(names), is_llama4_(model.starts_with("llama4.")) {}

  NameTable table(const std::vector<OwnWeight>& own) {
    for (const OwnWeight& weight : own)
      add(weight);
    if (dimensions_.tied)
      result_.tied_output = saved_as("output.weight", "");
    if (is_llama4_ && is_hugging_face())
      result_.forgotten = {"vision_model.", "multi_modal_projector."};
    if (is_hugging_face())
      for (int64_t i = 0; i < dimensions_.n_layers; ++i)
        result_.forgotten.push_back("model.layers." + std::to_string(i) + ".self_attn.rotary_emb.inv_freq");
    return std::move(result_);
  }

 private:
  bool is_hugging_face() const {
    return names_ == WeightNames::hugging_face || names_ == WeightNames::hugging_face_text;
  }
  /// For Llama 4's names: the multimodal model has this prefix next to its vision weights.
  std::string_view language_model() const {
    return names_ == WeightNames::hugging_face ? "language_model." : "";
  }

  void add(const OwnWeight& weight) {
    if (weight.name.find(".lora_") != std::string::npos)  // of an adapter
      return result_.unsaved.push_back(weight.name);
    const std::string block = block_of(weight.name);
    const std::string part = block.empty() ? "" : weight.name.substr(layers.size() + block.size() + 1);
    if (is_hugging_face() && is_llama4_ && part.starts_with("moe.experts."))
      return add_llama4_experts(weight.name, part, block);
    if (part == fused_part || (names_ == WeightNames::torchtitan_2026_fused && is_qkv(part)))
      return add_qkv(part, block);
    const std::string pattern = block.empty() ? weight.name : "layers.#." + part;
    if (!has_name(pattern))
      return add_unnamed(weight.name);
    NameRule rule = {{weight.name}, {saved_as(pattern, block)}, Conversion::as_is, rows_of(part)};
    if (rule.saved.front().empty())
      return result_.unsaved.push_back(weight.name);
    if (rule.saved.front().find('*') != std::string::npos)
      unstack(rule, weight.shape.at(0));
    result_.rules.push_back(std::move(rule));
  }

  /// Returns whether this kind of files has a name for such a weight. nanoGPT has names for GPT-2 only.
  bool has_name(std::string_view pattern) const {
    return find_row(pattern) != nullptr && names_ != WeightNames::nanogpt;
  }

  /// Our own names are names of torchtitan, also of what torchtitan lacks.
  void add_unnamed(const std::string& own) {
    if (names_ == WeightNames::torchtitan)
      result_.rules.push_back({{own}, {own}});
    else
      result_.unnamed.push_back(own);
  }

  bool is_qkv(std::string_view part) const {
    return !dimensions_.is_latent() && std::ranges::find(qkv_parts, part) != qkv_parts.end();
  }

  static void unstack(NameRule& rule, int64_t experts) {
    const std::string pattern = rule.saved.front();
    rule.saved.clear();
    for (int64_t i = 0; i < experts; ++i)
      rule.saved.push_back(filled(pattern, "*", std::to_string(i)));
    rule.conversion = Conversion::unstacked;
  }

  /// Adds one rule for all three, at the first of them.
  void add_qkv(std::string_view part, const std::string& block) {
    NameRule rule = {{}, {}, Conversion::qkv, rows_of(qkv_parts.front())};
    for (const std::string_view each : qkv_parts) {
      const std::string pattern = "layers.#." + std::string(each);
      rule.own.push_back(filled(pattern, "#", block));
      rule.saved.push_back(saved_as(pattern, block));
    }
    if (part == fused_part)
      rule.own = {std::string(layers) + block + "." + std::string(fused_part)};
    if (names_ == WeightNames::torchtitan_2026_fused)
      rule.saved = {filled("layers.#.attention.qkv_linear.wqkv.weight", "#", block)};
    if (part == fused_part || part == qkv_parts.front())
      result_.rules.push_back(std::move(rule));
  }

  void add_llama4_experts(const std::string& name, std::string_view part, const std::string& block) {
    const std::string prefix =
        std::string(language_model()) + "model.layers." + block + ".feed_forward.experts.";
    if (part == "moe.experts.w2")
      result_.rules.push_back({{name}, {prefix + "down_proj"}, Conversion::transposed});
    else if (part == "moe.experts.w1")
      result_.rules.push_back(
          {{name, name.substr(0, name.size() - 2) + "w3"}, {prefix + "gate_up_proj"}, Conversion::gate_up});
  }

  /// Hugging Face's files of Llama have rows for halves, torchtitan's models rows for pairs. Llama 4 and
  /// DeepSeek-V3 rotate pairs in both, Qwen3 rotates halves.
  RowOrder rows_of(std::string_view part) const {
    const bool turns = part == "attention.wq.weight" || part == "attention.wk.weight" ||
                       part == "attention.wq.bias" || part == "attention.wk.bias" ||
                       part == "attention.q_norm.weight" || part == "attention.k_norm.weight";
    if (!turns || dimensions_.is_latent() || (is_hugging_face() && is_llama4_))
      return RowOrder::same;
    if (is_hugging_face())
      return dimensions_.rope == Rope::complex ? RowOrder::saved_halves : RowOrder::same;
    return dimensions_.rope_weights == RopeWeights::permuted ? RowOrder::saved_pairs : RowOrder::same;
  }

  /// Returns null if no kind of files has a name for such a weight.
  const Row* find_row(std::string_view pattern) const {
    const auto find = [&](std::span<const Row> rows) {
      const auto found =
          std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.own == pattern; });
      return found == rows.end() ? nullptr : &*found;
    };
    const Row* row = is_llama4_ ? find(llama4) : nullptr;
    if (row == nullptr)
      row = dimensions_.is_latent() ? find(latent) : find(grouped);
    if (row == nullptr)
      row = find(common);
    return row;
  }

  const Row& row_of(std::string_view pattern) const {
    const Row* row = find_row(pattern);
    require(row != nullptr, "a weight without a row in the table of names: " + std::string(pattern));
    return *row;
  }

  std::string saved_as(std::string_view pattern, const std::string& block) const {
    const Row& row = row_of(pattern);
    if (!is_hugging_face())
      return filled(names_ == WeightNames::torchtitan || row.titan_2026.empty() ? row.own : row.titan_2026,
                    "#", block);
    const std::string name = filled(row.hugging_face, "#", block);
    return is_llama4_ && !name.empty() ? std::string(language_model()) + name : name;
  }

  const ModelDimensions& dimensions_;
  WeightNames names_;
  bool is_llama4_;
  NameTable result_;
};

}  // namespace

bool NameTable::forgets(std::string_view name) const {
  return std::ranges::any_of(forgotten, [&](const std::string& known) {
    return known.ends_with('.') ? name.starts_with(known) : name == known;
  });
}

NameTable name_table(std::string_view model, const ModelDimensions& dimensions,
                     const std::vector<OwnWeight>& own, WeightNames names) {
  const bool is_hugging_face = names == WeightNames::hugging_face || names == WeightNames::hugging_face_text;
  if (dimensions.learned_positions && (is_hugging_face || names == WeightNames::nanogpt))
    return gpt2_names(dimensions, own, is_hugging_face);
  return Maker(model, dimensions, names).table(own);
}

}  // namespace parity::reference
