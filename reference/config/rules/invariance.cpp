// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cstdint>
#include <string>
#include <utility>

#include "reference/config/model_names.hpp"
#include "reference/config/rules/rules.hpp"

namespace parity::reference {
namespace {

void check_sum_pieces(const RunConfig& config, const Rules& rules) {
  const int64_t pieces = config.parallel.tp_sum_pieces, tp = config.parallel.tp;
  const std::string key = "parallel.tp_sum_pieces";
  rules.at_least(pieces, 0, key);
  if (pieces <= 0)
    return;
  rules.rule(std::has_single_bit(static_cast<uint64_t>(pieces)), key, "a tree joins pairs",
             "choose a power of two");
  rules.rule(pieces % tp == 0, key, "each of parallel.tp = " + std::to_string(tp) + " ranks adds as many",
             "choose a multiple of it");
  rules.rule(config.lora.rank == 0, key, "the second matrix of an adapter adds what ranks rounded",
             "set lora.rank = 0");
  const ModelDimensions d = dimensions_of(config);
  const int64_t attention = d.n_heads * (d.is_latent() ? d.latent.value_width : d.head_dim());
  for (const auto& [columns, weight] : {std::pair(attention, "wo"), std::pair(d.ffn_hidden, "w2")})
    rules.rule(
        columns % pieces == 0, key,
        "the " + std::to_string(columns) + " columns of " + weight + " do not divide into equal pieces",
        "choose a divisor");
}

}  // namespace

void check_invariance(const RunConfig& config, const Rules& rules) {
  const bool is_tiled = config.attention.backend == AttentionBackend::tiled;
  rules.rule(!is_tiled || config.device == DeviceChoice::cpu, "attention.backend",
             "its tiles are computed by the CPU", "set device = \"cpu\" or attention.backend = \"varlen\"");
  rules.rule(!is_tiled || !config.train.autocast, "attention.backend",
             "autocast does not know it and would leave it in float32",
             "set train.autocast = false or attention.backend = \"varlen\"");
  rules.rule(config.train.float8 == Float8Scales::none || config.parallel.ep == 1, "train.float8",
             "experts multiply rows that other ranks send", "set parallel.ep = 1");
  rules.used_or_default(config.train.batch_invariant, "parallel.tp_sum_pieces",
                        "sums whose order depends on the batch", "set train.batch_invariant = true");
  if (!config.train.batch_invariant)
    return;
  check_sum_pieces(config, rules);
  const std::string key = "train.batch_invariant";
  rules.rule(is_tiled, key,
             "attention.backend = \"" + std::string(name_of(config.attention.backend)) +
                 "\" adds in an order that depends on the batch",
             "set attention.backend = \"tiled\"");
  rules.rule(dimensions_of(config).moe.experts == 0, key,
             "an expert multiplies all tokens that are sent to it at once", "choose a model without experts");
  rules.rule(config.threads == 1, key,
             "threads split an operator by its number of tokens, and the end of a piece rounds differently",
             "set threads = 1");
  rules.rule(config.parallel.tp <= 2 || config.parallel.tp_sum_pieces > 0, key,
             "parallel.tp = " + std::to_string(config.parallel.tp) +
                 ", and sums over more than 2 ranks round in an order that depends on the number of tokens",
             "set parallel.tp to 1 or 2, or parallel.tp_sum_pieces");
}

}  // namespace parity::reference
