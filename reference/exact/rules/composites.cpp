// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Operators that are written with others. What they compute, not how, follows PyTorch's documentation.
#include <algorithm>
#include <cmath>
#include <limits>

#include <ATen/ATen.h>

#include "harness/base/error.hpp"
#include "reference/exact/call.hpp"

namespace parity::reference::exact {
namespace {

using Results = std::vector<Numbers>;
using Tensors = std::vector<at::Tensor>;

at::Tensor optional(const Call& call, size_t i) {
  return call.has(i) ? call.tensor(i) : at::Tensor();
}

/// Returns x - its largest along a dimension, and minus infinity alone becomes 0.
at::Tensor shifted(const at::Tensor& x, int64_t dim) {
  const at::Tensor largest = x.detach().amax(dim, /*keepdim=*/true);
  return x - largest.masked_fill(largest.isneginf(), 0);
}

/// Returns a function of each eighth of the rows, joined, since logits are the largest tensors of a small
/// model.
/// \param dim  along which the function computes
Tensors in_parts(const Tensors& arguments, int64_t dim,
                 const std::function<at::Tensor(const Tensors& part)>& function) {
  const int64_t rank = arguments.front().dim(), rows = rank < 2 ? 1 : arguments.front().size(0);
  if (dim == 0 || dim == -rank || rows == 0)
    return {function(arguments)};
  const int64_t count = (rows + 7) / 8;
  Tensors results;
  for (int64_t first = 0; first < rows; first += count) {
    Tensors part;
    for (const at::Tensor& each : arguments)
      part.push_back(rank < 2 ? each : each.narrow(0, first, std::min(count, rows - first)));
    results.push_back(function(part));
  }
  return {results.size() == 1 ? results.front() : at::cat(results, 0)};
}

Tensors softmax(Call& call) {  // (self, dim, half_to_float)
  return in_parts({call.tensor(0)}, call.integer(1), [&](const Tensors& x) {
    const at::Tensor e = shifted(x[0], call.integer(1)).exp();
    return e / e.sum(call.integer(1), true);
  });
}

Tensors log_softmax(Call& call) {
  return in_parts({call.tensor(0)}, call.integer(1), [&](const Tensors& part) {
    const at::Tensor x = shifted(part[0], call.integer(1));
    return x - x.exp().sum(call.integer(1), true).log();
  });
}

Tensors softmax_backward(Call& call) {  // (grad, output, dim, input_dtype)
  return in_parts({call.tensor(0), call.tensor(1)}, call.integer(2),
                  [&](const Tensors& x) { return x[1] * (x[0] - (x[0] * x[1]).sum(call.integer(2), true)); });
}

Tensors log_softmax_backward(Call& call) {
  return in_parts({call.tensor(0), call.tensor(1)}, call.integer(2),
                  [&](const Tensors& x) { return x[0] - x[1].exp() * x[0].sum(call.integer(2), true); });
}

Tensors logsumexp(Call& call) {  // (self, dims, keepdim)
  const std::vector<int64_t> dims = call.integers(1);
  const bool keepdim = call.has(2) && call.argument(2).toBool();
  const at::Tensor& x = call.tensor(0);
  const at::Tensor largest = x.amax(dims, true);
  const at::Tensor base = largest.masked_fill(largest.isneginf(), 0);
  const at::Tensor sums = (x - base).exp().sum(dims, true);
  // A row of minus infinities alone has no logarithm.
  const at::Tensor empty = largest.isneginf();
  const at::Tensor result =
      (base + sums.masked_fill(empty, 1).log()).masked_fill(empty, -std::numeric_limits<double>::infinity());
  return {keepdim ? result : result.squeeze(dims)};
}

/// Returns q k^T scale with forbidden pairs at minus infinity.
at::Tensor scores(const at::Tensor& q, const at::Tensor& k, double scale, bool causal,
                  const at::Tensor& mask) {
  at::Tensor result = at::matmul(q, k.transpose(-2, -1)) * scale;
  if (causal) {
    const at::Tensor future =
        at::ones({q.size(-2), k.size(-2)}, at::TensorOptions().dtype(at::kBool)).triu(1);
    result = result.masked_fill(future, -std::numeric_limits<double>::infinity());
  }
  if (!mask.defined())
    return result;
  if (mask.scalar_type() == at::kBool)
    return result.masked_fill(mask.logical_not(), -std::numeric_limits<double>::infinity());
  return result + mask;
}

double scale_of(const Call& call, size_t i, const at::Tensor& q) {
  return call.has(i) ? call.number(i) : 1 / std::sqrt(static_cast<double>(q.size(-1)));
}

void refuse_dropout(double rate) {
  if (rate != 0)
    throw UserError("dropout inside attention has no exact form");
}

/// Returns the results of a function of each row of a batch, joined. Scores of all rows at once would take
/// more memory than the rest of a model.
Tensors row_by_row(int64_t rows, const std::function<Tensors(int64_t row)>& function) {
  std::vector<Tensors> parts;
  for (int64_t row = 0; row < rows; ++row)
    parts.push_back(function(row));
  Tensors joined;
  for (size_t i = 0; i < parts.front().size(); ++i) {
    Tensors all;
    for (const Tensors& part : parts)
      all.push_back(part[i]);
    joined.push_back(at::cat(all, 0));
  }
  return joined;
}

/// Returns a row of a tensor, or all of a mask that is the same for every row.
at::Tensor row_of(const at::Tensor& x, int64_t row) {
  return x.defined() && x.dim() == 4 && x.size(0) > 1 ? x.narrow(0, row, 1) : x;
}

Tensors attention(Call& call) {  // (q, k, v, dropout, causal, mask, scale) to (out, logsumexp)
  refuse_dropout(call.number(3));
  const double scale = scale_of(call, 6, call.tensor(0));
  return row_by_row(call.tensor(0).size(0), [&](int64_t row) -> Tensors {
    const auto own = [&](size_t i) { return row_of(call.tensor(i), row); };
    const at::Tensor s =
        scores(own(0), own(1), scale, call.argument(4).toBool(), row_of(optional(call, 5), row));
    const at::Tensor largest = s.amax(-1, true);
    const at::Tensor base = largest.masked_fill(largest.isneginf(), 0);
    const at::Tensor e = (s - base).exp(), total = e.sum(-1, true);
    const at::Tensor empty = total.eq(0), safe = total.masked_fill(empty, 1);
    return {at::matmul(e / safe, own(2)), (base + safe.log()).squeeze(-1)};
  });
}

/// (grad_out, q, k, v, out, logsumexp, dropout, causal, mask, scale) to gradients of q, k, v.
Tensors attention_backward(Call& call) {
  refuse_dropout(call.number(6));
  const double scale = scale_of(call, 9, call.tensor(1));
  return row_by_row(call.tensor(0).size(0), [&](int64_t row) -> Tensors {
    // The sums may be wider than q.
    const auto wide = [&](size_t i) { return call.tensor(i).narrow(0, row, 1).to(at::kFloat); };
    const at::Tensor grad = wide(0), q = wide(1), k = wide(2), v = wide(3);
    const at::Tensor s = scores(q, k, scale, call.argument(7).toBool(), row_of(optional(call, 8), row));
    const at::Tensor weights = (s - wide(5).unsqueeze(-1)).exp();
    const at::Tensor delta = (grad * wide(4)).sum(-1, true);
    const at::Tensor ds = (at::matmul(grad, v.transpose(-2, -1)) - delta) * weights * scale;
    return {at::matmul(ds, k), at::matmul(ds.transpose(-2, -1), q),
            at::matmul(weights.transpose(-2, -1), grad)};
  });
}

/// (self[], grads[], exp_avgs[], exp_avg_sqs[], max_exp_avg_sqs[], state_steps[], lr, beta1, beta2,
/// weight_decay, eps, amsgrad, maximize): the update of each parameter and its moments.
/// \param l2  whether the decay is part of the gradient, as in Adam
Results fused_adam(Call& call, bool l2) {
  if (call.argument(11).toBool() || call.argument(12).toBool())
    throw UserError("amsgrad and maximize have no exact form");
  const Tensors w = call.argument(0).toTensorVector(), g = call.argument(1).toTensorVector(),
                m = call.argument(2).toTensorVector(), v = call.argument(3).toTensorVector(),
                t = call.argument(5).toTensorVector();
  const double lr = call.number(6), beta1 = call.number(7), beta2 = call.number(8), decay = call.number(9),
               eps = call.number(10);
  return from_operators([&] {
    Tensors weights, first, second;
    for (size_t i = 0; i < w.size(); ++i) {
      const double step = t[i].item<double>();
      const at::Tensor gradient = l2 && decay != 0 ? g[i].add(w[i], decay) : g[i];
      first.push_back(at::lerp(m[i], gradient, 1 - beta1));
      second.push_back((v[i] * beta2).addcmul(gradient, gradient, 1 - beta2));
      const at::Tensor root = second.back().sqrt() / std::sqrt(1 - std::pow(beta2, step)) + eps;
      weights.push_back((l2 ? w[i] : w[i] * (1 - lr * decay))
                            .addcdiv(first.back(), root, -(lr / (1 - std::pow(beta1, step)))));
    }
    Tensors all = weights;
    for (const Tensors& each : {g, first, second})
      all.insert(all.end(), each.begin(), each.end());
    return all;
  });
}

/// (self[], grads[], momentum_buffers[], weight_decay, momentum, lr, dampening, nesterov, maximize,
/// is_first_step): the update of each parameter, and its momentum.
Results fused_sgd(Call& call) {
  if (call.argument(7).toBool() || call.argument(8).toBool())
    throw UserError("nesterov and maximize have no exact form");
  const Tensors w = call.argument(0).toTensorVector(), g = call.argument(1).toTensorVector(),
                b = call.argument(2).toTensorVector();
  const double decay = call.number(3), momentum = call.number(4), lr = call.number(5),
               damping = call.number(6);
  return from_operators([&] {
    Tensors weights, buffers;
    for (size_t i = 0; i < w.size(); ++i) {
      at::Tensor step = decay == 0 ? g[i] : g[i].add(w[i], decay);
      if (momentum != 0) {
        step = call.argument(9).toBool() ? step.clone() : (b[i] * momentum).add(step, 1 - damping);
        buffers.push_back(step);
      }
      weights.push_back(w[i].add(step, -lr));
    }
    Tensors all = weights;
    all.insert(all.end(), g.begin(), g.end());
    all.insert(all.end(), buffers.begin(), buffers.end());
    return all;
  });
}

/// Applies an operator of pairs to each element of a list, as "_foreach_mul" does.
Rule each_of(at::Tensor (*function)(const Call& call, size_t i)) {
  return composite([function](Call& call) {
    Tensors results;
    for (size_t i = 0; i < call.argument(0).toTensorVector().size(); ++i)
      results.push_back(function(call, i));
    return results;
  });
}

/// Returns the second operand of an element of a list: of a list, one tensor for all, or a number.
at::Tensor operand(const Call& call, size_t i) {
  const c10::IValue& value = call.argument(1);
  if (value.isTensorList())
    return value.toTensorVector()[i];
  if (value.isTensor())
    return value.toTensor();
  return at::scalar_tensor(value.isList() ? value.toListRef()[i].toScalar() : value.toScalar(), at::kDouble);
}

at::Tensor element(const Call& call, size_t i) {
  return call.argument(0).toTensorVector()[i];
}

/// (grad, input_sizes, dim, size, step): adds the windows of unfold where they came from.
Tensors unfold_backward(Call& call) {
  const at::Tensor& grad = call.tensor(0);
  const int64_t dim = call.integer(2) < 0 ? call.integer(2) + grad.dim() - 1 : call.integer(2);
  const int64_t count = grad.size(dim), step = call.integer(4);
  at::Tensor result = at::zeros(call.integers(1), grad.options());
  for (int64_t i = 0; i < call.integer(3); ++i)
    result.slice(dim, i, i + (count - 1) * step + 1, step).add_(grad.select(-1, i));
  return {result};
}

/// max_pool2d_with_indices_backward: (grad, self, kernel, stride, padding, dilation, ceil_mode, indices)
Tensors max_pool_backward(Call& call) {
  const at::Tensor &grad = call.tensor(0), &x = call.tensor(1), &places = call.tensor(7);
  const at::Tensor flat = at::zeros(x.flatten(-2).sizes(), grad.options());
  return {flat.scatter_add(-1, places.flatten(-2), grad.flatten(-2)).view(x.sizes())};
}

}  // namespace

void add_composites(Rules& rules) {
  rules["_softmax"] = composite(softmax);
  rules["_log_softmax"] = composite(log_softmax);
  rules["_softmax_backward_data"] = composite(softmax_backward);
  rules["_log_softmax_backward_data"] = composite(log_softmax_backward);
  rules["logsumexp"] = composite(logsumexp);
  rules["_scaled_dot_product_flash_attention_for_cpu"] = composite(attention);
  rules["_scaled_dot_product_flash_attention_for_cpu_backward"] = composite(attention_backward);
  rules["max_pool2d_with_indices_backward"] = composite(max_pool_backward);
  rules["unfold_backward"] = composite(unfold_backward);
  rules["_fused_adamw"] = [](Call& call) { return fused_adam(call, /*l2=*/false); };
  rules["_fused_adam"] = [](Call& call) { return fused_adam(call, /*l2=*/true); };
  rules["_fused_sgd"] = fused_sgd;
  rules["_foreach_add"] = each_of([](const Call& call, size_t i) {
    return element(call, i).add(operand(call, i), call.has(2) ? call.argument(2).toScalar() : at::Scalar(1));
  });
  rules["_foreach_mul"] =
      each_of([](const Call& call, size_t i) { return element(call, i) * operand(call, i); });
  rules["_foreach_div"] =
      each_of([](const Call& call, size_t i) { return element(call, i) / operand(call, i); });
}

}  // namespace parity::reference::exact
