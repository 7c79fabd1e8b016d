// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/model/decoder/moe.hpp"

#include <c10/core/impl/LocalDispatchKeySet.h>

#include "harness/base/error.hpp"
#include "reference/model/decoder/capacity.hpp"
#include "reference/model/decoder/router.hpp"
#include "reference/model/precision.hpp"

namespace parity::reference {
namespace {

torch::Tensor run_one_by_one(const Experts& experts, const torch::Tensor& x_ND,
                             const std::vector<int64_t>& tokens, const ModuleHooks::Operators& operators) {
  const auto& multiply = operators.expert_linear;
  const std::vector<torch::Tensor> inputs = x_ND.split_with_sizes(tokens);
  const auto w1 = experts.w1.unbind(), w2 = experts.w2.unbind(), w3 = experts.w3.unbind();
  std::vector<torch::Tensor> outputs;
  for (size_t e = 0; e < inputs.size(); ++e)
    outputs.push_back(operators.row_parallel_expert_linear(
        at::silu(multiply(inputs[e], w1[e])) * multiply(inputs[e], w3[e]), w2[e]));
  return at::cat(outputs).to(x_ND.scalar_type());
}

torch::Tensor run_grouped(const Experts& experts, const torch::Tensor& x_ND,
                          const std::vector<int64_t>& tokens) {
  const torch::Tensor ends =
      torch::tensor(tokens, torch::kInt64).cumsum(0).to(torch::kInt32).to(x_ND.device());
  // Each product casts its own operands, so that the gradients of both paths into an expert add up in x's
  // dtype.
  const auto product = [&](const torch::Tensor& x, const torch::Tensor& weights) {
    return at::_grouped_mm(x.to(torch::kBFloat16), weights.to(torch::kBFloat16).transpose(-2, -1), ends);
  };
  const torch::Tensor hidden_NF = at::silu(product(x_ND, experts.w1)) * product(x_ND, experts.w3);
  return product(hidden_NF, experts.w2).to(x_ND.scalar_type());
}

/// Returns the gate's product. A surrounding autocast does not round it to 16 bits, since the choice of
/// experts would depend on that.
torch::Tensor gate_logits(const torch::Tensor& x_TD, const torch::Tensor& gate, const Part& part) {
  const c10::impl::ExcludeDispatchKeyGuard no_autocast(c10::autocast_dispatch_keyset);
  return linear(at_least_float32(x_TD), at_least_float32(gate), part);
}

std::vector<int64_t> counts_of(const torch::Tensor& counts) {
  const torch::Tensor here = counts.cpu();
  const auto* const first = here.const_data_ptr<int64_t>();
  return {first, first + here.numel()};
}

}  // namespace

torch::Tensor Experts::forward(const torch::Tensor& x_ND, const std::vector<int64_t>& tokens,
                               const ModuleHooks::Operators& operators) const {
  require(w1.size(0) == static_cast<int64_t>(tokens.size()), "tokens for another number of experts");
  const bool is_grouped = matmul == ExpertMatmul::grouped_bf16 && w1.scalar_type() != torch::kFloat64;
  return is_grouped ? run_grouped(*this, x_ND, tokens) : run_one_by_one(*this, x_ND, tokens, operators);
}

Moe::Moe(int64_t dim, int64_t block_index, const MoeDimensions& moe, const torch::TensorOptions& options)
    : dimensions(moe), block(block_index), gate(torch::empty({moe.experts, dim}, options)) {
  const auto weights = [&](int64_t rows, int64_t columns) {
    return torch::empty({moe.experts, rows, columns}, options);
  };
  experts = {weights(moe.hidden, dim), weights(dim, moe.hidden), weights(moe.hidden, dim), moe.matmul};
  if (moe.shared_hidden > 0)
    shared.emplace(dim, moe.shared_hidden, options);
  if (moe.load_balance > 0)
    bias_E = torch::zeros({moe.experts}, options.dtype(at_least_float32(gate.scalar_type())));
  tally = {torch::zeros({moe.experts}, options.dtype(torch::kInt64)),
           torch::zeros({}, options.dtype(torch::kInt64)),
           torch::zeros({}, options.dtype(torch::kInt64)),
           torch::zeros({2}, options.dtype(torch::kFloat64)),
           {}};
}

void Moe::visit(const std::string& prefix, const WeightVisitor& visitor) {
  visitor(prefix + "experts.w1", experts.w1);
  visitor(prefix + "experts.w2", experts.w2);
  visitor(prefix + "experts.w3", experts.w3);
  visitor(prefix + "router.gate.weight", gate);
  if (shared)
    shared->visit(prefix + "shared_experts.", visitor);
}

void Moe::move_to(torch::Device device) {
  for (torch::Tensor* tensor : {&bias_E, &tally.tokens_E, &tally.digest, &tally.dropped, &tally.losses})
    if (tensor->defined())
      *tensor = tensor->to(device);
}

void Moe::count(const torch::Tensor& experts_TK, const torch::Tensor& tokens_E,
                const torch::Tensor& identity_BS, const MoePass& pass) const {
  if (pass.counts_update)
    torch::Tensor(tally.update_E).add_(tokens_E);
  if (!at::GradMode::is_enabled())
    return;
  const torch::NoGradGuard no_grad;
  constexpr int64_t of_token = 0x51ed270b9f2c7a15, of_expert = 0x2545f4914f6cdd1d,
                    of_block = 0x1b873593cc9e2d51, last = 0x2127599bf4325c37;
  torch::Tensor mixed =
      identity_BS.flatten().unsqueeze(1) * of_token + experts_TK * of_expert + block * of_block;
  mixed = at::bitwise_xor(mixed, at::bitwise_right_shift(mixed, 29)) * last;
  mixed = at::bitwise_xor(mixed, at::bitwise_right_shift(mixed, 32));
  torch::Tensor(tally.digest).add_(mixed.sum());
  torch::Tensor(tally.tokens_E).add_(tokens_E);
}

/// Routes the tokens. Where gradients are needed, the weights of the experts carry the router's losses.
Routing Moe::routed(const torch::Tensor& x_TD, int64_t sequences, const Part& part,
                    const MoePass& pass) const {
  const torch::Tensor logits_TE = gate_logits(x_TD, gate, part / "router");
  const torch::Tensor given_TK =
      pass.given ? pass.given(part.name(), part.first_row(), sequences) : torch::Tensor();
  Routing routing = route(logits_TE, bias_E, dimensions, given_TK);
  if (pass.chosen)
    pass.chosen(part.name(), part.first_row(), sequences, routing);
  if (!dimensions.has_losses() || !at::GradMode::is_enabled())
    return routing;
  const RouterLosses losses =
      router_losses(logits_TE, routing, sequences, tally.update_E, dimensions, pass.losses);
  routing.scores_TK = with_losses(routing.scores_TK, losses, pass.losses.gradient_factor);
  const torch::NoGradGuard no_grad;
  for (const auto& [i, loss] : {std::pair(0, losses.balance), std::pair(1, losses.z)})
    if (loss.defined())
      tally.losses[i].add_(loss.detach());
  return routing;
}

torch::Tensor Moe::forward(const torch::Tensor& x_BSD, const torch::Tensor& identity_BS, const Part& part,
                           const MoePass& pass) const {
  const torch::Tensor x_TD = part.enter(x_BSD).flatten(0, -2);
  const Routing routing = routed(x_TD, x_BSD.size(0), part, pass);
  const torch::Tensor tokens_E = routing.experts_TK.unsqueeze(-1)
                                     .eq(at::arange(dimensions.experts, routing.experts_TK.options()))
                                     .sum(torch::IntArrayRef{0, 1});
  count(routing.experts_TK, tokens_E, identity_BS, pass);

  const Slots slots = slots_of(routing, tokens_E, dimensions);
  if (slots.dropped > 0 && at::GradMode::is_enabled())
    torch::Tensor(tally.dropped).add_(slots.dropped);
  const torch::Tensor token_N = slots.order_N.div(dimensions.top_k, "floor");
  const torch::Tensor score_N1 = routing.scores_TK.flatten().index({slots.order_N}).unsqueeze(1);
  const auto scored = [&](const torch::Tensor& x_ND) {
    return (at_least_float32(x_ND) * score_N1).to(x_ND.scalar_type());
  };
  const ExpertRunner run = [this, &part, experts_part = part / "experts"](
                               const torch::Tensor& x, const std::vector<int64_t>& tokens) {
    const torch::Tensor taken = experts_part.enter(x);  // first, because it may fill the weights
    return experts_part.leave(experts.forward(taken, tokens, part.operators()));
  };
  torch::Tensor routed_ND = x_TD.index({token_N});
  if (dimensions.score_before)
    routed_ND = scored(routed_ND);
  const std::vector<int64_t> tokens = counts_of(slots.tokens_E);
  torch::Tensor results_ND = pass.dispatch ? pass.dispatch(routed_ND, tokens, run) : run(routed_ND, tokens);
  if (!dimensions.score_before)
    results_ND = scored(results_ND);
  torch::Tensor out_TD =
      torch::zeros_like(x_TD).scatter_add(0, token_N.unsqueeze(1).expand_as(results_ND), results_ND);
  if (shared)
    out_TD = out_TD + shared->forward(x_TD, part / "shared_experts");
  // With sequence parallelism, what enter() returned has more positions than x_BSD.
  return part.leave(out_TD.view({x_BSD.size(0), -1, out_TD.size(1)}));
}

}  // namespace parity::reference
