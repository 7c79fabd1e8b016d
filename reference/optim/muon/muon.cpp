// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/optim/muon/muon.hpp"

#include <algorithm>
#include <cmath>

#include "harness/base/error.hpp"
#include "reference/optim/adamw.hpp"
#include "reference/optim/decay_groups.hpp"

namespace parity::reference {

bool is_muon_matrix(const Parameter& parameter) {
  for (const char* part : {"tok_embeddings.", "pos_embeddings.", "output."})
    if (parameter.name.starts_with(part))
      return false;
  return parameter.value.dim() == 2 || (parameter.value.dim() == 3 && is_expert(parameter.name));
}

double muon_scale(MuonScale rule, int64_t rows, int64_t columns) {
  const auto a = static_cast<double>(rows), b = static_cast<double>(columns);
  switch (rule) {
    case MuonScale::original:
      return std::sqrt(std::max(1.0, a / b));
    case MuonScale::match_rms_adamw:
      return 0.2 * std::sqrt(std::max(a, b));
    case MuonScale::unit_rms_norm:
      return std::sqrt(a / b);
    case MuonScale::none:
      break;
  }
  return 1;
}

Muon::Muon(const OptimizerConfig& config, const Parameters& parameters, MatrixContext context)
    : config_(config), context_(std::move(context)), steps_(newton_schulz_steps(config.muon)) {
  Parameters others;
  for (const Parameter& parameter : parameters)
    (is_muon_matrix(parameter) ? matrices_ : others).push_back(parameter);
  for (const Parameter& matrix : matrices_)
    momenta_.push_back(torch::zeros_like(matrix.value.detach()));
  if (!others.empty())
    others_ = std::make_unique<AdamW>(config, std::move(others));
}

void Muon::step(const UpdateNumbers& numbers) {
  if (config_.muon.lr > 0 && !numbers.muon_lr)
    throw UserError("cannot update Muon's matrices (optimizer.muon.lr gives them a rate of their own, and " +
                    std::string("the update has only lr); give muon_lr too"));
  const torch::NoGradGuard no_grad;
  const double lr = numbers.muon_lr.value_or(numbers.lr.value());
  const double weight_decay = numbers.weight_decay.value();
  context_.ranks->run(
      {.count = static_cast<int64_t>(matrices_.size()),
       .shard = [&](int64_t i) { return next_momentum(static_cast<size_t>(i)); },
       .function = [&](int64_t i,
                       const torch::Tensor& whole) { return direction(static_cast<size_t>(i), whole); },
       .use =
           [&](int64_t i, const torch::Tensor& update) {
             torch::Tensor value = matrices_[static_cast<size_t>(i)].value;
             value.mul_(1 - lr * weight_decay);  // what Muon updates has two dimensions
             value.add_(update, -(lr * scale_of(static_cast<size_t>(i))));
           }});
  if (others_)
    others_->step(numbers);
}

/// Advances the momentum of matrix i. \return what Newton-Schulz takes, this rank's shard in its dtype
torch::Tensor Muon::next_momentum(size_t i) {
  const torch::Tensor& gradient = matrices_[i].value.grad();
  require(gradient.defined(), "no gradient of " + matrices_[i].name);
  const double momentum = config_.muon.momentum;
  momenta_[i].lerp_(gradient, 1 - momentum);
  return (config_.muon.nesterov ? gradient.lerp(momenta_[i], momentum) : momenta_[i]).to(dtype_of(i));
}

torch::Tensor Muon::direction(size_t i, const torch::Tensor& whole) const {
  return is_split(i) ? direction_of_qkv(whole)
                     : orthogonalized(whole, steps_, config_.muon.eps, whole.scalar_type());
}

/// Orthogonalizes the rows of q, k and v apart. Of each key head, `whole` has the queries, the key and the
/// value. \return with the factors of the learning rate, which differ between them
torch::Tensor Muon::direction_of_qkv(const torch::Tensor& whole) const {
  const int64_t sharing = context_.sharing, width = whole.size(1);
  const torch::Tensor heads = whole.view({-1, sharing + 2, context_.head_dim, width});
  std::vector<torch::Tensor> parts;
  for (const torch::Tensor& part : heads.split_with_sizes({sharing, 1, 1}, 1)) {
    const torch::Tensor rows = part.reshape({-1, width});
    const torch::Tensor update = orthogonalized(rows, steps_, config_.muon.eps, whole.scalar_type());
    const double scale = muon_scale(config_.muon.adjust_lr, rows.size(0), width);
    parts.push_back((update.to(matrices_.front().value.scalar_type()) * scale).reshape(part.sizes()));
  }
  return at::cat(parts, 1).view(whole.sizes());
}

bool Muon::is_split(size_t i) const {
  return config_.muon.split_qkv && matrices_[i].name.ends_with("attention.wqkv.weight");
}

/// Returns the factor of the learning rate; 1 where the update has it already.
double Muon::scale_of(size_t i) const {
  if (is_split(i))
    return 1;
  const Parameter& matrix = matrices_[i];
  const bool is_whole =
      matrix.layout.global_shape.empty() || config_.muon.sharding == MuonSharding::blockwise;
  const at::IntArrayRef shape = is_whole ? matrix.value.sizes() : at::IntArrayRef(matrix.layout.global_shape);
  return muon_scale(config_.muon.adjust_lr, shape[shape.size() - 2], shape[shape.size() - 1]);
}

torch::ScalarType Muon::dtype_of(size_t i) const {
  return newton_schulz_dtype(config_.muon.ns_dtype, matrices_[i].value.scalar_type());
}

std::vector<Optimizer::State> Muon::state() const {
  std::vector<State> result;
  for (size_t i = 0; i < matrices_.size(); ++i)
    result.push_back({"momentum_buffer/" + matrices_[i].name, momenta_[i], matrices_[i].layout});
  if (others_)
    for (State& each : others_->state())
      result.push_back(std::move(each));
  return result;
}

}  // namespace parity::reference
