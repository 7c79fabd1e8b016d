// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/coverage/table/rows.hpp"
#include "harness/coverage/table/settings.hpp"

namespace parity::coverage {

using suite::FlatConfig;
using suite::integer_of;
using suite::text_of;
using enum Role;

std::vector<Feature> parts_of_models() {
  return {
      {"softcaps",
       "attention scores or logits bounded by tanh",
       mathematics,
       [](const FlatConfig& c) {
         return is_positive(c, "architecture.attention_softcap") ||
                is_positive(c, "architecture.logit_softcap");
       },
       {plus(backend("flex"),
             {{"architecture.attention_softcap", 2.0}, {"architecture.logit_softcap", 3.0}})}},
      {"sinks",
       "a learned logit in the softmax's denominator",
       mathematics,
       [](const FlatConfig& c) { return flag_of(c, "architecture.attention_sinks"); },
       {plus(backend("flex"), {{"architecture.attention_sinks", true}})}},
      {"gated_attention",
       "attention's output times a sigmoid",
       mathematics,
       [](const FlatConfig& c) { return is_set(c, "architecture.attention_gate", "none"); },
       {{{"architecture.attention_gate", "elements"}}, {{"architecture.attention_gate", "heads"}}}},
      {"biases",
       "linear layers with biases",
       mathematics,
       [](const FlatConfig& c) {
         return is_set(c, "architecture.biases", "none") && is_set(c, "architecture.biases", "model");
       },
       {{{"architecture.biases", "all"}}, {{"architecture.biases", "qkv"}}}},
      {"fused_qkv",
       "queries, keys and values by one matrix",
       mathematics,
       [](const FlatConfig& c) { return flag_of(c, "architecture.fused_qkv"); },
       {{{"architecture.fused_qkv", true}}}},
      {"delta_net",
       "blocks with a gated delta net in place of attention",
       mathematics,
       [](const FlatConfig& c) { return is_positive(c, "architecture.full_attention_every"); },
       {{{"architecture.full_attention_every", 2}}}},
      {"balance_loss",
       "an auxiliary loss of the router",
       mathematics,
       [](const FlatConfig& c) { return is_set(c, "moe.balance_loss", "none"); },
       {plus(experts(), {{"moe.balance_loss", "sequence"}, {"moe.balance_loss_coeff", 0.05}})}},
  };
}

}  // namespace parity::coverage
