// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/operators/variants.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <ATen/Functions.h>
#include <ATen/Parallel.h>

#include "harness/base/error.hpp"

namespace parity::reference {
namespace {

using torch::Tensor;
using Call = std::function<CallResults(const Given&)>;
using Change = std::function<Tensor(const Tensor& tensor, int64_t dim)>;
using All = std::vector<CallResults>;

constexpr int64_t padding = 7;

/// A dimension of the inputs by its symbol.
class Axis {
 public:
  Axis(std::string symbol, const operators::Problem& problem, const operators::Point& point)
      : symbol_(std::move(symbol)), problem_(problem) {
    const auto size = point.sizes.find(symbol_);
    size_ = size == point.sizes.end() ? 0 : size->second;
    for (const operators::Input& input : problem.inputs)
      for (size_t item = 0; item < input.tensors.size(); ++item) {
        const auto& shape = input.tensors[item].shape;
        const auto place = std::ranges::find(shape, symbol_, &operators::Size::symbol);
        if (place == shape.end())
          continue;
        const int64_t dim = place - shape.begin();
        dims_[input.list ? fmt::format("{}.{}", input.name, item) : input.name] = dim;
        output_ = output_.value_or(dim);
      }
  }

  int64_t size() const { return size_; }
  int64_t output() const { return output_.value_or(0); }
  std::optional<int64_t> dim_of(const std::string& input) const {
    const auto found = dims_.find(input);
    return found == dims_.end() ? std::nullopt : std::optional(found->second);
  }
  /// Returns the same with every tensor that has this dimension replaced.
  Given changed(Given given, const Change& change) const {
    for_each_tensor(given.inputs, [&](const std::string& name, Tensor& tensor) {
      if (const auto dim = dim_of(name))
        tensor = change(tensor, *dim);
    });
    for (auto& [name, tensor] : given.cotangents)
      tensor = change(tensor, output());
    given.point.sizes[symbol_] = change(at::zeros({size_}), 0).size(0);
    for (const operators::Input& input : problem_.inputs)
      if (input.tensors.empty())
        given.inputs[input.name].value = operators::resolved_value(input.value, given.point);
    return given;
  }
  /// Returns what has this dimension: outputs, and gradients of inputs that have it.
  CallResults mapped(CallResults results, const Change& change) const {
    std::erase_if(results, [&](const CallResult& one) { return !dim_of(one); });
    for (CallResult& one : results)
      one.tensor = change(one.tensor, *dim_of(one));
    return results;
  }
  CallResults rows(CallResults results, int64_t count) const {
    return mapped(std::move(results), [&](const Tensor& x, int64_t dim) { return x.narrow(dim, 0, count); });
  }

 private:
  std::optional<int64_t> dim_of(const CallResult& one) const {
    return one.phase == trace::Phase::forward ? output() : dim_of(one.name);
  }

  std::string symbol_;
  const operators::Problem& problem_;
  int64_t size_ = 0;
  std::map<std::string, int64_t> dims_ = {};
  std::optional<int64_t> output_ = {};
};

Tensor unchanged(const Tensor& x, int64_t) {
  return x;
}

All other_batches(const Axis& axis, const Given& given, const Call& call) {
  const auto first = [](const Tensor& x, int64_t dim) { return x.narrow(dim, 0, 1).clone(); };
  const auto more = [](const Tensor& x, int64_t dim) { return at::cat({x, x, x.narrow(dim, 0, 1)}, dim); };
  return {axis.rows(call(axis.changed(given, first)), 1),
          axis.rows(call(axis.changed(given, more)), axis.size())};
}

All other_positions(const Axis& axis, const Given& given, const Call& call) {
  const auto moved = call(axis.changed(given, [](const Tensor& x, int64_t dim) { return x.roll(1, dim); }));
  return {axis.mapped(moved, [](const Tensor& x, int64_t dim) { return x.roll(-1, dim); })};
}

All other_neighbours(const Axis& axis, Given given, OperatorInputs others, const Call& call) {
  const auto joined = [&](const Tensor& x, const Tensor& other, int64_t dim) {
    return at::cat({x.narrow(dim, 0, 1), other.narrow(dim, 1, axis.size() - 1)}, dim);
  };
  std::map<std::string, Tensor> replacements;
  for_each_tensor(others, [&](const std::string& name, Tensor& tensor) { replacements[name] = tensor; });
  for_each_tensor(given.inputs, [&](const std::string& name, Tensor& tensor) {
    if (const auto dim = axis.dim_of(name))
      tensor = joined(tensor, replacements[name], *dim);
  });
  for (auto& [name, tensor] : given.cotangents)
    tensor = joined(tensor, 3 * tensor, axis.output());
  return {axis.rows(call(given), 1)};
}

All chunks(const Axis& axis, const Given& given, const Call& call) {
  const int64_t half = (axis.size() + 1) / 2;
  const auto part = [&](int64_t first, int64_t count) {
    const auto rows = [&](const Tensor& x, int64_t dim) { return x.narrow(dim, first, count).clone(); };
    return axis.mapped(call(axis.changed(given, rows)), unchanged);
  };
  const CallResults first = part(0, half), second = part(half, axis.size() - half);
  auto end = second.begin();
  return {
      axis.mapped(first, [&](const Tensor& x, int64_t dim) { return at::cat({x, (end++)->tensor}, dim); })};
}

All padded(const Axis& axis, const Given& given, const Call& call) {
  const auto longer = [](const Tensor& x, int64_t dim) {
    std::vector<int64_t> shape = x.sizes().vec();
    shape.at(static_cast<size_t>(dim)) = padding;
    return at::cat({x, at::zeros(shape, x.options())}, dim);
  };
  return {axis.rows(call(axis.changed(given, longer)), axis.size())};
}

All other_threads(const Given& given, const Call& call) {
  const int usual = at::get_num_threads();
  All made;
  for (int count = 1; count <= 4; ++count)
    if (count != usual) {
      at::set_num_threads(count);
      made.push_back(call(given));
    }
  at::set_num_threads(usual);
  return made;
}

/// Returns the same with every tensor replaced.
Given with_all(Given given, const std::function<Tensor(const Tensor&)>& change) {
  for_each_tensor(given.inputs, [&](const std::string&, Tensor& x) { x = change(x); });
  for (auto& [name, tensor] : given.cotangents)
    tensor = change(tensor);
  return given;
}

All other_layouts(const Given& given, const Call& call) {
  return {call(with_all(given, [](const Tensor& x) {
    if (x.dim() >= 2)
      return x.transpose(-1, -2).contiguous().transpose(-1, -2);
    return x.dim() == 1 ? x.repeat_interleave(2).slice(0, 0, std::nullopt, 2) : x;
  }))};
}

All other_alignments(const Given& given, const Call& call) {
  All made;
  for (const int64_t offset : {1, 3})
    made.push_back(call(with_all(given, [&](const Tensor& x) {
      const Tensor memory = at::empty({x.numel() + offset}, x.options());
      return memory.narrow(0, offset, x.numel()).view(x.sizes()).copy_(x);
    })));
  return made;
}

}  // namespace

All variants_of(const std::string& name, const operators::Problem& problem, const Given& given,
                const std::function<CallResults(const Given&)>& call,
                const std::function<OperatorInputs()>& others) {
  const Axis axis(name == "padding" ? problem.length : problem.batch, problem, given.point);
  if (name == "threads" || name == "layout" || name == "alignment") {
    All made = name == "threads"  ? other_threads(given, call)
               : name == "layout" ? other_layouts(given, call)
                                  : other_alignments(given, call);
    for (CallResults& each : made)
      if (!problem.batch.empty())
        each = axis.mapped(std::move(each), unchanged);
    return made;
  }
  if (name == "padding")
    return padded(axis, given, call);
  if (name == "batch")
    return other_batches(axis, given, call);
  if (axis.size() < 2)
    return {};
  if (name == "position")
    return other_positions(axis, given, call);
  if (name == "neighbours")
    return other_neighbours(axis, given, others(), call);
  if (name == "chunking")
    return chunks(axis, given, call);
  throw UserError("there is no axis '" + name + "'");
}

}  // namespace parity::reference
