// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Losses of torch.nn.
#include <ATen/ATen.h>

#include "harness/base/error.hpp"
#include "reference/exact/call.hpp"

namespace parity::reference::exact {
namespace {

using Tensors = std::vector<at::Tensor>;

/// The labels of a loss over classes.
struct Labels {
  int64_t dim;         ///< of the classes
  at::Tensor index;    ///< with ignored labels as 0
  at::Tensor weights;  ///< of each label, 0 of an ignored one
};

/// \param x  logarithms of probabilities: [classes], [rows, classes] or [rows, classes, ...]
Labels labels_of(const Call& call, const at::Tensor& x, const at::Tensor& target, size_t weight,
                 int64_t ignored) {
  const at::Tensor is_ignored = target.eq(ignored), index = target.masked_fill(is_ignored, 0);
  const at::Tensor kept = is_ignored.logical_not().to(x.scalar_type());
  const at::Tensor weights =
      call.has(weight) ? call.tensor(weight).index_select(0, index.flatten()).view(index.sizes()) * kept
                       : kept;
  return {x.dim() < 2 ? 0 : 1, index, weights};
}

Tensors nll_loss(Call& call) {  // (self, target, weight, reduction, ignore_index) to (loss, total_weight)
  const at::Tensor& x = call.tensor(0);
  const Labels labels = labels_of(call, x, call.tensor(1), 2, call.integer(4));
  const at::Tensor chosen = x.gather(labels.dim, labels.index.unsqueeze(labels.dim)).squeeze(labels.dim);
  const at::Tensor weighted = call.has(2) ? chosen.neg() * labels.weights : chosen.neg();
  const at::Tensor losses = weighted.masked_fill(call.tensor(1).eq(call.integer(4)), 0);
  switch (call.integer(3)) {
    case at::Reduction::None:
      return {losses, at::zeros({}, x.options())};
    case at::Reduction::Sum:
      return {losses.sum(), labels.weights.sum()};
    default:
      return {losses.sum() / labels.weights.sum(), labels.weights.sum()};
  }
}

/// (grad, self, target, weight, reduction, ignore_index, total_weight)
Tensors nll_loss_backward(Call& call) {
  const at::Tensor& x = call.tensor(1);
  const Labels labels = labels_of(call, x, call.tensor(2), 3, call.integer(5));
  at::Tensor grad = call.tensor(0);
  if (call.integer(4) == at::Reduction::Mean)
    grad = grad / labels.weights.sum();
  const at::Tensor each = -(grad * labels.weights);
  return {at::zeros(x.sizes(), x.options())
              .scatter_add(labels.dim, labels.index.unsqueeze(labels.dim), each.unsqueeze(labels.dim))};
}

at::Tensor with_reduction(const at::Tensor& losses, int64_t reduction) {
  return reduction == at::Reduction::None  ? losses
         : reduction == at::Reduction::Sum ? losses.sum()
                                           : losses.mean();
}

Tensors mse_loss(Call& call) {  // (self, target, reduction)
  return {with_reduction((call.tensor(0) - call.tensor(1)).square(), call.integer(2))};
}

Tensors mse_loss_backward(Call& call) {  // (grad, self, target, reduction)
  const at::Tensor each = (call.tensor(1) - call.tensor(2)) * 2 * call.tensor(0);
  return {call.integer(3) == at::Reduction::Mean ? each / static_cast<double>(each.numel()) : each};
}

}  // namespace

void add_losses(Rules& rules) {
  rules["nll_loss_forward"] = rules["nll_loss2d_forward"] = composite(nll_loss);
  rules["nll_loss_backward"] = rules["nll_loss2d_backward"] = composite(nll_loss_backward);
  rules["mse_loss"] = composite(mse_loss);
  rules["mse_loss_backward"] = composite(mse_loss_backward);
}

}  // namespace parity::reference::exact
