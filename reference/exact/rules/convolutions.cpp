// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Convolutions as sums of matrix products, one for each place of the kernel.
#include <ATen/ATen.h>

#include "harness/base/error.hpp"
#include "reference/exact/call.hpp"

namespace parity::reference::exact {
namespace {

using Tensors = std::vector<at::Tensor>;

/// A convolution of x [N, C, ...] with weights [O, C / groups, ...].
class Convolution {
 public:
  /// \param settings  index of the argument stride, which padding, dilation, transposed and groups follow
  Convolution(const Call& call, const at::Tensor& x, const at::Tensor& weight, size_t settings)
      : weight_(weight),
        stride_(call.integers(settings)),
        padding_(call.integers(settings + 1)),
        dilation_(call.integers(settings + 2)),
        groups_(call.integer(settings + 5)),
        dims_(static_cast<size_t>(x.dim() - 2)) {
    if (call.argument(settings + 3).toBool())
      throw UserError("a transposed convolution has no exact form");
    for (std::vector<int64_t>* each : {&stride_, &padding_, &dilation_})
      each->resize(dims_, each->back());
    std::vector<int64_t> pad;
    for (size_t i = dims_; i-- > 0;)
      pad.insert(pad.end(), {padding_[i], padding_[i]});
    padded_ = at::constant_pad_nd(x, pad);
    shape_ = {x.size(0), weight.size(0)};
    for (size_t i = 0; i < dims_; ++i)
      shape_.push_back((padded_.size(dim(i)) - dilation_[i] * (weight.size(dim(i)) - 1) - 1) / stride_[i] +
                       1);
  }

  at::Tensor forward() const {
    at::Tensor result;
    for_places([&](const std::vector<int64_t>& place) {
      const at::Tensor each = at::matmul(weight_at(weight_, place), grouped(window(padded_, place)));
      result = result.defined() ? result + each : each;
    });
    return result.reshape(shape_);
  }

  at::Tensor gradient_of_input(const at::Tensor& grad) const {
    at::Tensor result = at::zeros(padded_.sizes(), padded_.options());
    for_places([&](const std::vector<int64_t>& place) {
      at::Tensor part = window(result, place);
      part.add_(at::matmul(weight_at(weight_, place).transpose(-2, -1), grouped(grad)).reshape(part.sizes()));
    });
    for (size_t i = 0; i < dims_; ++i)
      result = result.narrow(dim(i), padding_[i], result.size(dim(i)) - 2 * padding_[i]);
    return result;
  }

  at::Tensor gradient_of_weight(const at::Tensor& grad) const {
    at::Tensor result = at::zeros(weight_.sizes(), weight_.options());
    for_places([&](const std::vector<int64_t>& place) {
      const at::Tensor each =
          at::matmul(grouped(grad), grouped(window(padded_, place)).transpose(-2, -1)).sum(0);
      weight_at(result, place).copy_(each);
    });
    return result;
  }

 private:
  static int64_t dim(size_t i) { return static_cast<int64_t>(i) + 2; }

  /// Calls function(place) for each place of the kernel.
  template <class Function>
  void for_places(const Function& function) const {
    std::vector<int64_t> place(dims_, 0);
    for (;;) {
      function(place);
      size_t i = 0;
      while (i < dims_ && ++place[i] == weight_.size(dim(i)))
        place[i++] = 0;
      if (i == dims_)
        return;
    }
  }

  /// Returns the inputs that meet one place of the kernel, [N, C, ...], as a view.
  at::Tensor window(at::Tensor x, const std::vector<int64_t>& place) const {
    for (size_t i = 0; i < dims_; ++i) {
      const int64_t begin = place[i] * dilation_[i];
      x = x.slice(dim(i), begin, begin + (shape_[i + 2] - 1) * stride_[i] + 1, stride_[i]);
    }
    return x;
  }

  /// Returns the weights at one place, [groups, O / groups, C / groups], as a view.
  at::Tensor weight_at(at::Tensor weight, const std::vector<int64_t>& place) const {
    for (const int64_t each : place)
      weight = weight.select(2, each);
    return weight.view({groups_, weight.size(0) / groups_, weight.size(1)});
  }

  /// Returns [N, groups, channels / groups, places].
  at::Tensor grouped(const at::Tensor& x) const {
    return x.reshape({x.size(0), groups_, x.size(1) / groups_, -1});
  }

  at::Tensor weight_, padded_;
  std::vector<int64_t> stride_, padding_, dilation_;
  int64_t groups_;
  size_t dims_;                 ///< of space
  std::vector<int64_t> shape_;  ///< of the result
};

/// (input, weight, bias, stride, padding, dilation, transposed, output_padding, groups)
Tensors convolution(Call& call) {
  const at::Tensor result = Convolution(call, call.tensor(0), call.tensor(1), 3).forward();
  if (!call.has(2))
    return {result};
  std::vector<int64_t> shape(static_cast<size_t>(result.dim()), 1);
  shape[1] = -1;
  return {result + call.tensor(2).view(shape)};
}

/// (grad, input, weight, bias_sizes, stride, ..., groups, mask) to gradients of input, weight and bias.
Tensors convolution_backward(Call& call) {
  const at::Tensor& grad = call.tensor(0);
  const Convolution convolution(call, call.tensor(1), call.tensor(2), 4);
  const auto wanted = call.argument(10).toBoolList();
  Tensors results(3);
  if (wanted[0])
    results[0] = convolution.gradient_of_input(grad);
  if (wanted[1])
    results[1] = convolution.gradient_of_weight(grad);
  if (wanted[2])
    results[2] = grad.transpose(0, 1).flatten(1).sum(1);
  return results;
}

}  // namespace

void add_convolutions(Rules& rules) {
  rules["convolution"] = composite(convolution);
  rules["convolution_backward"] = composite(convolution_backward);
}

}  // namespace parity::reference::exact
