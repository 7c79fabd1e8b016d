// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/weights/gpt2_names.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace parity::reference {
namespace {

/// Names with # for the number of a block.
struct Gpt2Row {
  std::string_view own, saved;
  bool is_linear = false;  ///< a matrix that Hugging Face saves transposed
};

constexpr std::array<Gpt2Row, 17> gpt2_table = {{
    {"tok_embeddings.weight", "transformer.wte.weight"},
    {"pos_embeddings.weight", "transformer.wpe.weight"},
    {"norm.weight", "transformer.ln_f.weight"},
    {"norm.bias", "transformer.ln_f.bias"},
    {"output.weight", "lm_head.weight"},
    {"layers.#.attention_norm.weight", "transformer.h.#.ln_1.weight"},
    {"layers.#.attention_norm.bias", "transformer.h.#.ln_1.bias"},
    {"layers.#.ffn_norm.weight", "transformer.h.#.ln_2.weight"},
    {"layers.#.ffn_norm.bias", "transformer.h.#.ln_2.bias"},
    {"layers.#.attention.wq.weight", "transformer.h.#.attn.c_attn.weight", true},
    {"layers.#.attention.wq.bias", "transformer.h.#.attn.c_attn.bias"},
    {"layers.#.attention.wo.weight", "transformer.h.#.attn.c_proj.weight", true},
    {"layers.#.attention.wo.bias", "transformer.h.#.attn.c_proj.bias"},
    {"layers.#.feed_forward.w1.weight", "transformer.h.#.mlp.c_fc.weight", true},
    {"layers.#.feed_forward.w1.bias", "transformer.h.#.mlp.c_fc.bias"},
    {"layers.#.feed_forward.w2.weight", "transformer.h.#.mlp.c_proj.weight", true},
    {"layers.#.feed_forward.w2.bias", "transformer.h.#.mlp.c_proj.bias"},
}};

constexpr std::string_view queries = ".attention.wq.";

/// Splits "layers.3.attention.wq.weight" into "layers.#.attention.wq.weight" and "3".
std::pair<std::string, std::string> pattern_of(const std::string& name) {
  constexpr std::string_view layers = "layers.";
  if (!name.starts_with(layers))
    return {name, ""};
  const size_t end = name.find('.', layers.size());
  return {std::string(layers) + "#" + name.substr(end), name.substr(layers.size(), end - layers.size())};
}

std::string with_number(std::string_view pattern, const std::string& number) {
  std::string name(pattern);
  if (const size_t at = name.find('#'); at != std::string::npos)
    name.replace(at, 1, number);
  return name;
}

/// Returns whether a weight is a part of the matrix or vector that begins with the queries.
bool follows_queries(std::string_view name) {
  return name.find(".attention.wk.") != std::string_view::npos ||
         name.find(".attention.wv.") != std::string_view::npos;
}

NameRule rule_of(const Gpt2Row& row, const std::string& own, const std::string& number, bool transposed) {
  const bool turns = row.is_linear && transposed;
  NameRule rule = {{own}, {with_number(row.saved, number)}};
  if (const size_t at = own.find(queries); at != std::string::npos) {
    for (const char* other : {".attention.wk.", ".attention.wv."})
      rule.own.push_back(own.substr(0, at) + other + own.substr(at + queries.size()));
    rule.conversion = turns ? Conversion::joined_transposed : Conversion::joined;
  } else if (turns) {
    rule.conversion = Conversion::transposed;
  }
  return rule;
}

}  // namespace

NameTable gpt2_names(const ModelDimensions& dimensions, const std::vector<OwnWeight>& own, bool transposed) {
  NameTable result;
  for (const OwnWeight& weight : own) {
    if (follows_queries(weight.name) && weight.name.find(".lora_") == std::string::npos)
      continue;
    const auto [pattern, number] = pattern_of(weight.name);
    const auto* const row = std::find_if(gpt2_table.begin(), gpt2_table.end(),
                                         [&](const Gpt2Row& each) { return each.own == pattern; });
    if (row != gpt2_table.end())
      result.rules.push_back(rule_of(*row, weight.name, number, transposed));
    else if (weight.name.find(".lora_") != std::string::npos)
      result.unsaved.push_back(weight.name);
    else
      result.unnamed.push_back(weight.name);
  }
  if (dimensions.tied)
    result.tied_output = "lm_head.weight";
  for (int64_t i = 0; i < dimensions.n_layers; ++i)
    for (const char* mask : {"bias", "masked_bias"})
      result.forgotten.push_back("transformer.h." + std::to_string(i) + ".attn." + mask);
  return result;
}

}  // namespace parity::reference
