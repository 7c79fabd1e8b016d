// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/train/capture/activations.hpp"

#include <ATen/record_function.h>
#include <torch/types.h>

#include "harness/trace/format/routes.hpp"
#include "reference/model/decoder/router.hpp"
#include "reference/train/capture/offer.hpp"

namespace parity::reference {

void ActivationCapture::begin_micro_batch(int64_t rows) {
  first_row_ = is_on_ ? first_row_ + rows_ : 0;
  rows_ = rows;
  is_on_ = true;
}

void ActivationCapture::end() {
  is_on_ = false;
  first_row_ = rows_ = 0;
  seen_.clear();
}

void ActivationCapture::read(const std::string& name, const at::Tensor& x_BS, int64_t first_row) {
  if (!is_on_ || !recorder_.wants(trace::Phase::input, name))
    return;
  const ActivationLayouts::Piece piece = layouts_.of_tokens(first_row_ + first_row);
  offer(recorder_, device_, trace::Phase::input, name, x_BS, piece.shape, piece.layout);
}

void ActivationCapture::chose(const std::string& part, int64_t first_row, int64_t sequences,
                              const Routing& routing) {
  const std::string name = trace::routes_name(part);
  if (!is_on_ || !recorder_.wants(trace::Phase::input, name) ||
      !seen_.emplace(name, first_row_ + first_row).second)
    return;
  const at::DisableRecordFunctionGuard unseen;
  const torch::NoGradGuard no_grad;
  const torch::Tensor finite_T = routing.all_scores_TE.isfinite().all(-1, /*keepdim=*/true);
  const torch::Tensor chosen_TE = at::zeros_like(routing.all_scores_TE, torch::kBool)
                                      .scatter_(-1, routing.experts_TK, true)
                                      .logical_and_(finite_T);
  const ActivationLayouts::Piece piece = layouts_.of_tokens(first_row_ + first_row, chosen_TE.size(1));
  offer(recorder_, device_, trace::Phase::input, name,
        chosen_TE.unflatten(0, torch::IntArrayRef{sequences, -1}).contiguous(), piece.shape, piece.layout);
}

void ActivationCapture::left(const std::string& part, const at::Tensor& result, int64_t first_row) {
  if (!is_on_)
    return;
  const int64_t first = first_row_ + first_row;
  if (recorder_.wants(trace::Phase::forward, part))
    offer_result(part, result, first);
  if (result.requires_grad() && recorder_.wants(trace::Phase::backward, part))
    result.register_hook([this, part, first](const at::Tensor& gradient) {
      const at::DisableRecordFunctionGuard unseen;
      torch::Tensor own = gradient.clone(at::MemoryFormat::Contiguous);
      offer_gradient(part, own, first);
      return own;
    });
}

void ActivationCapture::offer_result(const std::string& part, const at::Tensor& result, int64_t first_row) {
  const bool is_first = seen_.emplace(part, first_row).second;
  const auto piece = layouts_.of(trace::Phase::forward, part, result.sizes().vec(), first_row);
  if (!piece)
    return;
  if (is_first)
    offer(recorder_, device_, trace::Phase::forward, part, result, piece->shape, piece->layout);
  else
    offer_again(recorder_, trace::Phase::forward, part, result, piece->shape, piece->layout);
}

void ActivationCapture::offer_gradient(const std::string& part, const at::Tensor& gradient,
                                       int64_t first_row) {
  if (const auto piece = layouts_.of(trace::Phase::backward, part, gradient.sizes().vec(), first_row))
    offer(recorder_, device_, trace::Phase::backward, part, gradient, piece->shape, piece->layout);
}

}  // namespace parity::reference
