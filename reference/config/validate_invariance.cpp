// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "reference/config/model_names.hpp"
#include "reference/config/rules.hpp"

namespace parity::reference {

void check_invariance(const RunConfig& config, const Rules& rules) {
  const bool is_tiled = config.attention.backend == AttentionBackend::tiled;
  rules.rule(!is_tiled || config.device == DeviceChoice::cpu, "attention.backend",
             "its tiles are computed by the CPU", "set device = \"cpu\" or attention.backend = \"varlen\"");
  rules.rule(!is_tiled || !config.train.autocast, "attention.backend",
             "autocast does not know it and would leave it in float32",
             "set train.autocast = false or attention.backend = \"varlen\"");
  rules.rule(config.train.float8 == Float8Scales::none || config.parallel.ep == 1, "train.float8",
             "experts multiply rows that other ranks send", "set parallel.ep = 1");
  if (!config.train.batch_invariant)
    return;
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
  rules.rule(config.parallel.tp <= 2, key,
             "parallel.tp = " + std::to_string(config.parallel.tp) +
                 ", and sums over more than 2 ranks round in an order that depends on the number of tokens",
             "set parallel.tp to 1 or 2");
}

}  // namespace parity::reference
