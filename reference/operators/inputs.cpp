// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/operators/inputs.hpp"

#include <array>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/operators/problem/values.hpp"

namespace parity::reference {
namespace {

constexpr std::array<std::pair<DType, torch::ScalarType>, 10> dtypes = {{
    {DType::float64, torch::kDouble},
    {DType::float32, torch::kFloat},
    {DType::bfloat16, torch::kBFloat16},
    {DType::float16, torch::kHalf},
    {DType::int64, torch::kLong},
    {DType::int32, torch::kInt},
    {DType::int16, torch::kShort},
    {DType::int8, torch::kChar},
    {DType::uint8, torch::kByte},
    {DType::bool8, torch::kBool},
}};

}  // namespace

torch::ScalarType scalar_type_of_dtype(DType dtype) {
  for (const auto& [ours, theirs] : dtypes)
    if (ours == dtype)
      return theirs;
  throw UserError(fmt::format("an operator's tensors cannot be of {}; take another dtype", name_of(dtype)));
}

DType dtype_of(const torch::Tensor& tensor) {
  for (const auto& [ours, theirs] : dtypes)
    if (theirs == tensor.scalar_type())
      return ours;
  throw UserError(fmt::format("the operator returns a tensor of {}, which a trace cannot hold",
                              c10::toString(tensor.scalar_type())));
}

torch::Tensor tensor_of(const std::vector<double>& values, const Shape& shape, DType dtype) {
  const auto wide = torch::from_blob(const_cast<double*>(values.data()),  // NOLINT: copied at once
                                     std::vector<int64_t>(shape.begin(), shape.end()), torch::kDouble);
  return wide.to(scalar_type_of_dtype(dtype), /*non_blocking=*/false, /*copy=*/true);
}

OperatorInputs inputs_at(const operators::Problem& problem, const operators::Point& point, bool wide,
                         uint64_t variation) {
  OperatorInputs inputs;
  for (const operators::Input& input : problem.inputs) {
    OperatorInput& made = inputs[input.name];
    made.list = input.list;
    if (input.tensors.empty())
      made.value = operators::resolved_value(input.value, point);
    for (size_t item = 0; item < input.tensors.size(); ++item) {
      const operators::TensorSpec& spec = input.tensors[item];
      const DType dtype = spec.dtype_at(point);
      made.tensors.push_back(tensor_of(operators::input_values(point, input, item, variation),
                                       spec.shape_at(point),
                                       wide && is_floating(dtype) ? DType::float64 : dtype));
    }
  }
  return inputs;
}

void for_each_tensor(OperatorInputs& inputs,
                     const std::function<void(const std::string& name, torch::Tensor& tensor)>& visit) {
  for (auto& [name, input] : inputs)
    for (size_t item = 0; item < input.tensors.size(); ++item)
      visit(input.list ? fmt::format("{}.{}", name, item) : name, input.tensors[item]);
}

Chosen chosen_for(const std::string& parameter, const OperatorInputs& inputs, const Json& arguments,
                  const operators::Point& point) {
  Json wanted = parameter;
  if (arguments.is_object()) {
    if (!arguments.contains(parameter))
      return {};
    wanted = arguments[parameter];
  } else if (!inputs.contains(parameter)) {
    return {};
  }
  const auto found = wanted.is_string() ? inputs.find(wanted.get<std::string>()) : inputs.end();
  if (found == inputs.end())
    return {nullptr, operators::resolved_value(wanted, point)};
  if (found->second.is_tensor())
    return {&found->second, nullptr};
  return {nullptr, found->second.value};
}

}  // namespace parity::reference
