// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
// Rules of gated delta nets: what keeps their state whole and exact enough, and what does not know them.
#include <string>
#include <tuple>
#include <utility>

#include "reference/config/model_names.hpp"
#include "reference/config/rules/rules.hpp"

namespace parity::reference {
namespace {

constexpr const char* delta_key = "architecture.full_attention_every";

/// Refuses layouts that would divide the state or the tokens that reach it.
void check_delta_layout(const RunConfig& config, const Rules& rules) {
  const std::string with = std::string("with ") + delta_key + ", ";
  for (const auto& [ranks, name, why] :
       {std::tuple(config.parallel.tp, "parallel.tp", "the heads of a state are not divided over ranks"),
        std::tuple(config.parallel.cp, "parallel.cp",
                   "the state before a part of a sequence is on the rank of the part before")})
    rules.rule(ranks == 1, name, with + why, "set it to 1");
  for (const auto& [tokens, name] : {std::pair(config.attention.sliding_window, "attention.sliding_window"),
                                     std::pair(config.attention.fixed_block, "attention.fixed_block")})
    rules.rule(tokens == 0, name, with + "a state keeps all earlier tokens of a document", "set it to 0");
}

/// Refuses what computes parts of a model in another way, and does not know delta nets.
void check_delta_company(const RunConfig& config, const Rules& rules) {
  const ModelDimensions d = dimensions_of(config);
  const auto refuse = [&](bool is_used, const std::string& why, const std::string& remedy) {
    rules.rule(!is_used, delta_key, why, remedy + ", or set it to 0");
  };
  refuse(d.biases != Biases::none, "the projections of a gated delta net have no biases",
         "set architecture.biases = \"none\"");
  refuse(d.mtp_depth > 0, "the block of a module of multi-token prediction has no number",
         "set architecture.mtp_depth = 0");
  refuse(config.lora.rank > 0, "gated delta nets have no adapters", "set lora.rank = 0");
  refuse(config.linear.recipe != LinearRecipe::none, "products with the state would keep their precision",
         "set linear.recipe = \"none\"");
  refuse(config.train.autocast, "autocast would round the state at each product",
         "set train.autocast = false, or parallel.mixed_precision with FSDP units");
  refuse(config.train.batch_invariant, "products with the state have no kernels of a fixed order",
         "set train.batch_invariant = false");
  refuse(config.data.source == DataSource::rollouts, "the generator keeps keys and values, and no states",
         "choose another data.source");
  refuse(config.dtype == Precision::exact,
         "a decay is the exponential of an exponential times a logarithm, which has no residue",
         "choose another dtype");
}

}  // namespace

void check_delta_net(const RunConfig& config, const Rules& rules) {
  const ArchitectureConfig& a = config.architecture;
  const bool has_nets = a.full_attention_every > 0;
  rules.at_least(a.full_attention_every, 0, delta_key);
  rules.at_least(a.delta_chunk, 1, "architecture.delta_chunk");
  rules.used_or_default(has_nets, "architecture.delta_form", "a model without gated delta nets",
                        std::string("set ") + delta_key);
  rules.used_or_default(
      has_nets && a.delta_form != DeltaForm::recurrent, "architecture.delta_chunk",
      has_nets ? "a state that is computed token by token" : "a model without gated delta nets",
      has_nets ? "set architecture.delta_form = \"chunked\"" : std::string("set ") + delta_key);
  if (!has_nets)
    return;
  rules.rule(a.full_attention_every > 1, delta_key, "every block would attend, as without the key",
             "give 2 or more, or 0");
  check_delta_layout(config, rules);
  check_delta_company(config, rules);
}

}  // namespace parity::reference
