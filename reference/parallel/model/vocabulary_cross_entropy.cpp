// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/parallel/model/vocabulary_cross_entropy.hpp"

#include <torch/csrc/autograd/custom_function.h>

#include "harness/base/error.hpp"
#include "reference/model/precision.hpp"
#include "reference/parallel/core/parts.hpp"

namespace parity::reference {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// T tokens, v entries of the vocabulary on this rank.

/// The labels as indices of this rank's part [T, 1], and which labels are not in it [T, 1].
struct OwnLabels {
  OwnLabels(const torch::Tensor& labels_T, IndexRange part)
      : foreign_T1((labels_T.lt(part.first).logical_or_(labels_T.ge(part.end))).unsqueeze(1)),
        index_T1((labels_T - part.first).unsqueeze(1).masked_fill_(foreign_T1, 0)) {}

  torch::Tensor foreign_T1;
  torch::Tensor index_T1;
};

torch::Tensor log_softmax(const torch::Tensor& x_Tv, const Group& ranks) {
  const torch::Tensor max_T1 = x_Tv.amax(1, /*keepdim=*/true);
  ranks.all_reduce(max_T1, Reduction::max);
  const torch::Tensor shifted_Tv = x_Tv - max_T1;
  const torch::Tensor sum_T1 = shifted_Tv.exp().sum(1, /*keepdim=*/true);
  ranks.all_reduce(sum_T1);
  return shifted_Tv.sub(sum_T1.log());
}

struct VocabularyCrossEntropy : torch::autograd::Function<VocabularyCrossEntropy> {
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& logits_Tv,
                               const torch::Tensor& labels_T, IndexRange part, const Group& ranks) {
    const torch::Tensor log_p_Tv = log_softmax(at_least_float32(logits_Tv), ranks);
    const OwnLabels own(labels_T, part);
    const torch::Tensor log_p_T1 = log_p_Tv.gather(1, own.index_T1).masked_fill_(own.foreign_T1, 0);
    ranks.all_reduce(log_p_T1);
    context->save_for_backward({log_p_Tv, labels_T, own.index_T1, own.foreign_T1});
    context->saved_data["dtype"] = logits_Tv.scalar_type();
    return log_p_T1.squeeze(1).masked_fill(labels_T.eq(-100), 0).neg();
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const torch::Tensor &log_p_Tv = saved[0], &labels_T = saved[1], &index_T1 = saved[2],
                        &foreign_T1 = saved[3];
    torch::Tensor dx_Tv = log_p_Tv.exp();
    const torch::Tensor minus_one_T1 = foreign_T1.to(dx_Tv.scalar_type()).sub_(1);
    dx_Tv.scatter_add_(1, index_T1, minus_one_T1).mul_(gradients[0].unsqueeze(1));
    dx_Tv.masked_fill_(labels_T.eq(-100).unsqueeze(1), 0);
    return {dx_Tv.to(context->saved_data["dtype"].toScalarType()), {}, {}, {}};
  }
};

/// log sum exp over the vocabulary; dx = exp(x - log sum) dlog_sum, of this rank's part.
struct VocabularyLogSumExp : torch::autograd::Function<VocabularyLogSumExp> {
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& x_Tv, const Group& ranks) {
    const torch::Tensor max_T1 = x_Tv.amax(1, /*keepdim=*/true);
    ranks.all_reduce(max_T1, Reduction::max);
    const torch::Tensor sum_T1 = (x_Tv - max_T1).exp_().sum(1, /*keepdim=*/true);
    ranks.all_reduce(sum_T1);
    const torch::Tensor log_sum_T1 = sum_T1.log().add_(max_T1);
    context->save_for_backward({x_Tv, log_sum_T1});
    return log_sum_T1.squeeze(1);
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    return {(saved[0] - saved[1]).exp_().mul_(gradients[0].unsqueeze(1)), {}};
  }
};

}  // namespace

torch::Tensor vocabulary_log_sum_exp(const torch::Tensor& logits, const GroupPointer& ranks) {
  return VocabularyLogSumExp::apply(logits.flatten(0, -2), *ranks)
      .view(logits.sizes().slice(0, static_cast<size_t>(logits.dim()) - 1));
}

torch::Tensor vocabulary_cross_entropy(const torch::Tensor& logits, const torch::Tensor& labels,
                                       int64_t vocabulary, const GroupPointer& ranks) {
  const IndexRange part = part_of(vocabulary, ranks->size(), ranks->rank());
  require(logits.size(-1) == part.end - part.first && part.first < part.end,
          "logits of " + std::to_string(logits.size(-1)) + " vocabulary entries where a rank holds " +
              std::to_string(part.end - part.first));
  return VocabularyCrossEntropy::apply(logits.flatten(0, -2), labels.flatten(), part, *ranks)
      .view(labels.sizes());
}

torch::Tensor vocabulary_entropy(const torch::Tensor& logits, const GroupPointer& ranks) {
  const torch::NoGradGuard no_grad;
  const torch::Tensor x_Tv = at_least_float32(logits.flatten(0, -2));
  const torch::Tensor log_p_Tv = log_softmax(x_Tv, *ranks);
  const torch::Tensor entropy_T = log_p_Tv.exp().mul_(log_p_Tv).sum(1).neg_();
  ranks->all_reduce(entropy_T);
  return entropy_T.view(logits.sizes().slice(0, static_cast<size_t>(logits.dim()) - 1));
}

}  // namespace parity::reference
