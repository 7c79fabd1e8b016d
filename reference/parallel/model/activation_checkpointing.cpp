// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/parallel/model/activation_checkpointing.hpp"

#include <ATen/autocast_mode.h>
#include <ATen/core/grad_mode.h>
#include <ATen/core/ivalue.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>

#include "harness/base/error.hpp"

namespace parity::reference {
namespace {

using Body = ModuleHooks::Body;

/// The data that backward needs; the graph keeps it.
struct Kept : torch::CustomClassHolder {
  Kept(Body part, std::shared_ptr<int64_t> so_far, c10::DeviceType type)
      : body(std::move(part)),
        count(std::move(so_far)),
        device(type),
        autocast(at::autocast::is_autocast_enabled(type)),
        dtype(at::autocast::get_autocast_dtype(type)) {}

  Body body;
  std::shared_ptr<int64_t> count;
  c10::DeviceType device;
  bool autocast;
  at::ScalarType dtype;
};

/// Restores autocast for backward, which computes again what ran under autocast but runs after it has ended.
/// A device's backward runs in another thread, which has autocast's defaults.
class AutocastAgain {
 public:
  AutocastAgain(c10::DeviceType device, bool on, at::ScalarType dtype)
      : device_(device), before_(at::autocast::is_autocast_enabled(device)) {
    at::autocast::increment_nesting();
    if (on)
      at::autocast::set_autocast_dtype(device_, dtype);
    at::autocast::set_autocast_enabled(device_, on);
  }
  ~AutocastAgain() {
    at::autocast::set_autocast_enabled(device_, before_);
    if (at::autocast::decrement_nesting() == 0)
      at::autocast::clear_cache();
  }
  AutocastAgain(const AutocastAgain&) = delete;
  AutocastAgain& operator=(const AutocastAgain&) = delete;

 private:
  c10::DeviceType device_;
  bool before_;
};

struct Recomputed : torch::autograd::Function<Recomputed> {
  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& x,
                               const c10::intrusive_ptr<Kept>& kept) {
    context->save_for_backward({x});
    context->saved_data["kept"] = c10::IValue::make_capsule(kept);
    return kept->body(x);  // no graph: forward of an autograd function records none
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    const auto held = context->saved_data["kept"].toCapsule();
    const auto& kept = static_cast<const Kept&>(*held);
    const torch::Tensor x = context->get_saved_variables().front().detach().requires_grad_();
    torch::Tensor y;
    {
      const AutocastAgain autocast(kept.device, kept.autocast, kept.dtype);
      const at::AutoGradMode with_graph(true);
      y = kept.body(x);
    }
    ++*kept.count;
    torch::autograd::backward({y}, {gradients.front()});  // leaves the weights' gradients where they belong
    return {x.grad(), {}};
  }
};

bool is_recomputed(int64_t block, const ParallelConfig& config) {
  return config.activation_checkpointing == ActivationCheckpointing::full ||
         (block + 1) % config.activation_checkpointing_every == 0;
}

}  // namespace

std::shared_ptr<const int64_t> apply_activation_checkpointing(Decoder& model, const ParallelConfig& config) {
  if (config.activation_checkpointing == ActivationCheckpointing::none)
    return nullptr;
  auto count = std::make_shared<int64_t>(0);
  for (int64_t i = 0; i < model.dimensions().n_layers; ++i)
    if (is_recomputed(i, config))
      model.hooks().around("layers." + std::to_string(i), [count](const Body& body, const torch::Tensor& x) {
        if (!at::GradMode::is_enabled())
          return body(x);
        require(x.requires_grad(), "a block's input has no gradient, so nothing would compute it again");
        return Recomputed::apply(x, c10::make_intrusive<Kept>(body, count, x.device().type()));
      });
  return count;
}

}  // namespace parity::reference
