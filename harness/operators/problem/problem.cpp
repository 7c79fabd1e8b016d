// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/operators/problem/problem.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/text/escape_for_terminal.hpp"

namespace parity::operators {

int64_t Point::value(const Size& size) const {
  if (size.symbol.empty())
    return size.number;
  const auto found = sizes.find(size.symbol);
  if (found == sizes.end())
    throw UserError("the sweep gives no value to the symbol " + parity::quoted(size.symbol));
  return found->second;
}

std::string Point::text() const {
  std::string text;
  for (const auto& [symbol, size] : sizes)
    text += fmt::format("{} = {}, ", symbol, size);
  return text + std::string(name_of(dtype));
}

Shape TensorSpec::shape_at(const Point& point) const {
  Shape sizes;
  for (const Size& size : shape)
    sizes.push_back(point.value(size));
  return sizes;
}

const Input* Problem::find(const std::string& name) const {
  const auto found = std::ranges::find(inputs, name, &Input::name);
  return found == inputs.end() ? nullptr : &*found;
}

bool Problem::has_gradients() const {
  return std::ranges::any_of(
      inputs, [](const Input& input) { return std::ranges::any_of(input.tensors, &TensorSpec::grad); });
}

LargestPoint largest_point(const Problem& problem) {
  LargestPoint largest;
  for (size_t i = 0; i < problem.points.size(); ++i) {
    const Point& point = problem.points[i];
    double bytes = 0;
    for (const Input& input : problem.inputs)
      for (const TensorSpec& tensor : input.tensors) {
        double elements = 1;  // as a double: a product of sizes may not fit an integer
        for (const Size& size : tensor.shape)
          elements *= static_cast<double>(point.value(size));
        const auto width = static_cast<double>(size_of(tensor.dtype_at(point)));
        bytes += elements * (width + sizeof(double)) * (tensor.grad ? 2 : 1);
      }
    if (bytes > largest.bytes)
      largest = {bytes, i};
  }
  return largest;
}

Json resolved_value(const Json& value, const Point& point) {
  if (value.is_string()) {
    const auto found = point.sizes.find(value.get<std::string>());
    return found == point.sizes.end() ? value : Json(found->second);
  }
  if (!value.is_array())
    return value;
  Json list = Json::array();
  for (const Json& item : value)
    list.push_back(resolved_value(item, point));
  return list;
}

std::string summed_symbol(const Problem& problem) {
  const Point& point = problem.points.front();
  std::map<std::string, size_t> tensors;  // that have a symbol
  for (const Input& input : problem.inputs)
    for (const TensorSpec& spec : input.tensors) {
      std::set<std::string> symbols;
      for (const Size& size : spec.shape)
        if (!size.symbol.empty() && is_floating(spec.dtype_at(point)))
          symbols.insert(size.symbol);
      for (const std::string& symbol : symbols)
        ++tensors[symbol];
    }
  const auto shared = [](const auto& entry) { return entry.second == 2; };
  if (std::ranges::count_if(tensors, shared) == 1)
    return std::ranges::find_if(tensors, shared)->first;
  const bool alone = problem.inputs.size() == 1 && problem.inputs[0].tensors.size() == 1;
  return alone && !problem.inputs[0].tensors[0].shape.empty()
             ? problem.inputs[0].tensors[0].shape.back().symbol
             : "";
}

std::string output_name(const Problem& problem, size_t index, size_t count) {
  if (index < problem.outputs.size())
    return problem.outputs[index];
  return count == 1 ? "out" : fmt::format("out{}", index);
}

}  // namespace parity::operators
