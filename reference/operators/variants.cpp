// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/operators/variants.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include <ATen/Functions.h>
#include <ATen/Parallel.h>

#include "harness/base/error.hpp"

namespace parity::reference {
namespace {

using torch::Tensor;
using Call = std::function<Outputs(const OperatorInputs&)>;
using Change = std::function<Tensor(const Tensor& tensor, int64_t dim)>;

constexpr int64_t padding = 7;

/// A dimension of the inputs by its symbol.
class Axis {
 public:
  Axis(const std::string& symbol, const operators::Problem& problem, const operators::Point& point) {
    const auto size = point.sizes.find(symbol);
    size_ = size == point.sizes.end() ? 0 : size->second;
    for (const operators::Input& input : problem.inputs)
      for (size_t item = 0; item < input.tensors.size(); ++item) {
        const auto& shape = input.tensors[item].shape;
        const auto place = std::ranges::find(shape, symbol, &operators::Size::symbol);
        if (place == shape.end())
          continue;
        const int64_t dim = place - shape.begin();
        dims_[input.list ? fmt::format("{}.{}", input.name, item) : input.name] = dim;
        output_ = output_.value_or(dim);
      }
  }

  int64_t size() const { return size_; }
  int64_t output() const { return output_.value_or(0); }
  std::optional<int64_t> dim_of(const std::string& name) const {
    const auto found = dims_.find(name);
    return found == dims_.end() ? std::nullopt : std::optional(found->second);
  }
  /// Returns the inputs; those with this dimension are replaced.
  OperatorInputs changed(OperatorInputs inputs, const Change& change) const {
    for_each_tensor(inputs, [&](const std::string& name, Tensor& tensor) {
      if (const auto dim = dim_of(name))
        tensor = change(tensor, *dim);
    });
    return inputs;
  }
  Outputs rows(Outputs outputs, int64_t count) const {
    for (auto& [name, tensor] : outputs)
      tensor = tensor.narrow(output(), 0, count);
    return outputs;
  }

 private:
  int64_t size_ = 0;
  std::map<std::string, int64_t> dims_ = {};
  std::optional<int64_t> output_ = {};
};

std::vector<Outputs> other_batches(const Axis& axis, const OperatorInputs& inputs, const Call& call) {
  const auto first = [](const Tensor& x, int64_t dim) { return x.narrow(dim, 0, 1).clone(); };
  const auto more = [](const Tensor& x, int64_t dim) { return at::cat({x, x, x.narrow(dim, 0, 1)}, dim); };
  return {axis.rows(call(axis.changed(inputs, first)), 1),
          axis.rows(call(axis.changed(inputs, more)), axis.size())};
}

std::vector<Outputs> other_positions(const Axis& axis, const OperatorInputs& inputs, const Call& call) {
  Outputs moved = call(axis.changed(inputs, [](const Tensor& x, int64_t dim) { return x.roll(1, dim); }));
  for (auto& [name, tensor] : moved)
    tensor = tensor.roll(-1, axis.output());
  return {moved};
}

std::vector<Outputs> other_neighbours(const Axis& axis, OperatorInputs inputs, OperatorInputs others,
                                      const Call& call) {
  std::map<std::string, Tensor> replacements;
  for_each_tensor(others, [&](const std::string& name, Tensor& tensor) { replacements[name] = tensor; });
  for_each_tensor(inputs, [&](const std::string& name, Tensor& tensor) {
    if (const auto dim = axis.dim_of(name))
      tensor =
          at::cat({tensor.narrow(*dim, 0, 1), replacements[name].narrow(*dim, 1, axis.size() - 1)}, *dim);
  });
  return {axis.rows(call(inputs), 1)};
}

std::vector<Outputs> chunks(const Axis& axis, const OperatorInputs& inputs, const Call& call) {
  const int64_t half = (axis.size() + 1) / 2;
  const auto part = [&](int64_t first, int64_t count) {
    return call(axis.changed(
        inputs, [&](const Tensor& x, int64_t dim) { return x.narrow(dim, first, count).clone(); }));
  };
  Outputs joined = part(0, half);
  const Outputs second = part(half, axis.size() - half);
  for (size_t i = 0; i < joined.size(); ++i)
    joined[i].second = at::cat({joined[i].second, second[i].second}, axis.output());
  return {joined};
}

std::vector<Outputs> padded(const Axis& axis, const OperatorInputs& inputs, const Call& call) {
  const auto longer = [](const Tensor& x, int64_t dim) {
    std::vector<int64_t> shape = x.sizes().vec();
    shape.at(static_cast<size_t>(dim)) = padding;
    return at::cat({x, at::zeros(shape, x.options())}, dim);
  };
  return {axis.rows(call(axis.changed(inputs, longer)), axis.size())};
}

std::vector<Outputs> other_threads(const OperatorInputs& inputs, const Call& call) {
  const int usual = at::get_num_threads();
  std::vector<Outputs> made;
  for (int count = 1; count <= 4; ++count)
    if (count != usual) {
      at::set_num_threads(count);
      made.push_back(call(inputs));
    }
  at::set_num_threads(usual);
  return made;
}

std::vector<Outputs> other_layouts(OperatorInputs inputs, const Call& call) {
  for_each_tensor(inputs, [](const std::string&, Tensor& x) {
    if (x.dim() >= 2)
      x = x.transpose(-1, -2).contiguous().transpose(-1, -2);
    else if (x.dim() == 1)
      x = x.repeat_interleave(2).slice(0, 0, std::nullopt, 2);
  });
  return {call(inputs)};
}

std::vector<Outputs> other_alignments(const OperatorInputs& inputs, const Call& call) {
  std::vector<Outputs> made;
  for (const int64_t offset : {1, 3}) {
    OperatorInputs moved = inputs;
    for_each_tensor(moved, [&](const std::string&, Tensor& x) {
      const Tensor memory = at::empty({x.numel() + offset}, x.options());
      x = memory.narrow(0, offset, x.numel()).view(x.sizes()).copy_(x);
    });
    made.push_back(call(moved));
  }
  return made;
}

}  // namespace

std::vector<Outputs> variants_of(const std::string& name, const operators::Problem& problem,
                                 const operators::Point& point, const OperatorInputs& inputs,
                                 const std::function<Outputs(const OperatorInputs&)>& call,
                                 const std::function<OperatorInputs()>& others) {
  if (name == "threads")
    return other_threads(inputs, call);
  if (name == "layout")
    return other_layouts(inputs, call);
  if (name == "alignment")
    return other_alignments(inputs, call);
  const Axis axis(name == "padding" ? problem.length : problem.batch, problem, point);
  if (name == "padding")
    return padded(axis, inputs, call);
  if (name == "batch")
    return other_batches(axis, inputs, call);
  if (axis.size() < 2)
    return {};
  if (name == "position")
    return other_positions(axis, inputs, call);
  if (name == "neighbours")
    return other_neighbours(axis, inputs, others(), call);
  if (name == "chunking")
    return chunks(axis, inputs, call);
  throw UserError("there is no axis '" + name + "'");
}

}  // namespace parity::reference
