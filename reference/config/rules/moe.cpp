// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>

#include "reference/config/model_names.hpp"
#include "reference/config/rules/rules.hpp"

namespace parity::reference {
namespace {

void check_router(const MoeDimensions& d, const Rules& rules) {
  const std::string experts = std::to_string(d.experts);
  rules.rule(d.top_k >= 1 && d.top_k <= d.experts, "moe.top_k",
             "there are " + experts + " experts, and a token goes to each at most once",
             "choose moe.top_k from 1 to moe.experts");
  rules.rule(d.groups == 0 || (d.experts % d.groups == 0 && d.experts / d.groups >= 2), "moe.groups",
             experts + " experts do not divide into that many equal groups of two or more",
             "choose a divisor of moe.experts, at most half of it");
  rules.rule(d.groups > 0 || d.limited_groups == 0, "moe.limited_groups", "the experts have no groups",
             "set moe.groups");
  rules.rule(d.groups == 0 || (d.limited_groups >= 1 && d.limited_groups <= d.groups), "moe.limited_groups",
             "there are " + std::to_string(d.groups) + " groups, and a token uses at least one",
             "choose 1 to moe.groups");
  rules.rule(d.groups == 0 || d.top_k <= d.limited_groups * (d.experts / d.groups), "moe.top_k",
             "the groups that a token uses have " +
                 std::to_string(d.limited_groups * (d.experts / std::max<int64_t>(1, d.groups))) + " experts",
             "choose fewer, or raise moe.limited_groups");
}

/// The router's losses are weighed by the share of a micro-batch in the update, while they are
/// differentiated.
void check_router_losses(const RunConfig& config, const Rules& rules) {
  const MoeConfig& moe = config.moe;
  rules.within(moe.balance_loss_coeff, 0, 1e3, "moe.balance_loss_coeff");
  rules.within(moe.z_loss_coeff, 0, 1e3, "moe.z_loss_coeff");
  const bool balances = moe.balance_loss != BalanceLoss::none;
  rules.used_or_default(balances, "moe.balance_loss_coeff", "a router without a balance loss",
                        "set moe.balance_loss");
  rules.used_or_default(moe.balance_loss == BalanceLoss::tokens, "moe.balance_loss_scope",
                        "moe.balance_loss = \"" + std::string(name_of(moe.balance_loss)) + "\"",
                        "set moe.balance_loss = \"switch\"");
  for (const auto& [has_loss, key] :
       {std::pair(balances, "moe.balance_loss"), std::pair(moe.z_loss_coeff > 0, "moe.z_loss_coeff")}) {
    rules.rule(!has_loss || config.loss.normalization != Normalization::gradient_scaling, key,
               "loss.normalization = \"gradient_scaling\" divides all gradients by the labels that count, "
               "which the router's losses are not sums over",
               "set loss.normalization = \"global_tokens\" or \"microbatch_mean\"");
  }
}

/// Drops depend on the tokens that are routed together, so one process has no equal of a cut sequence.
void check_capacity(const RunConfig& config, const Rules& rules) {
  const double factor = config.moe.capacity_factor;
  rules.within(factor, 0, 1e6, "moe.capacity_factor");
  rules.used_or_default(factor > 0, "moe.drop", "a model that drops no tokens", "set moe.capacity_factor");
  rules.rule(factor == 0 || config.parallel.cp == 1, "moe.capacity_factor",
             "a rank of parallel.cp routes a part of each sequence, and would drop other tokens",
             "set parallel.cp = 1 or 0");
}

void check_replay(const RunConfig& config, const Rules& rules) {
  const bool replays = !config.moe.replay.empty();
  rules.rule(!replays || !config.moe.force_balance, "moe.force_balance", "the routes come from moe.replay",
             "set it to false or remove moe.replay");
  rules.rule(!replays || config.dtype != Precision::exact, "moe.replay",
             "routes of another run prove nothing of the function that this one computes",
             "set dtype = \"float32\" or remove it");
}

}  // namespace

void check_moe(const RunConfig& config, const Rules& rules) {
  const MoeConfig& moe = config.moe;
  for (const auto& [value, key] :
       {std::pair(moe.experts, "moe.experts"), std::pair(moe.top_k, "moe.top_k"),
        std::pair(moe.hidden, "moe.hidden"), std::pair(moe.shared_hidden, "moe.shared_hidden"),
        std::pair(moe.every, "moe.every"), std::pair(moe.groups, "moe.groups"),
        std::pair(moe.limited_groups, "moe.limited_groups")})
    rules.at_least(value, 0, key);
  rules.within(moe.route_scale, 0, 1e6, "moe.route_scale");
  rules.within(moe.load_balance_coeff, 0, 1, "moe.load_balance_coeff");
  const MoeDimensions d = dimensions_of(config).moe;
  for (const char* key : {"moe.top_k", "moe.hidden", "moe.shared_hidden", "moe.every", "moe.score",
                          "moe.score_place", "moe.route_norm", "moe.route_scale", "moe.groups",
                          "moe.limited_groups", "moe.load_balance", "moe.force_balance", "moe.matmul",
                          "moe.balance_loss", "moe.z_loss_coeff", "moe.capacity_factor", "moe.replay"})
    rules.used_or_default(d.experts > 0, key, "a model without experts", "set moe.experts");
  rules.used_or_default(d.load_balance > 0, "moe.load_balance_coeff", "a router without biases",
                        "set moe.load_balance = \"on\"");
  if (d.experts == 0)
    return;
  rules.rule(d.hidden > 0, "moe.hidden", "the model's own experts have no width", "give it");
  for (const auto& [width, what] :
       {std::pair(d.hidden, "moe.hidden"), std::pair(dimensions_of(config).dim, "architecture.dim")})
    rules.rule(d.matmul == ExpertMatmul::loop || width % 8 == 0, "moe.matmul",
               std::string(what) + " is " + std::to_string(width) +
                   ", and PyTorch's grouped product needs rows of multiples of 16 bytes",
               "let 8 divide " + std::string(what) + ", or set moe.matmul = \"loop\"");
  check_router(d, rules);
  check_router_losses(config, rules);
  check_capacity(config, rules);
  check_replay(config, rules);
}

}  // namespace parity::reference
