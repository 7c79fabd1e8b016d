// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <torch/types.h>

#include "harness/base/json/json.hpp"
#include "harness/operators/problem/problem.hpp"

namespace parity::reference {

/// One input at a point: a tensor, a list of tensors, or a value that is not a tensor.
struct OperatorInput {
  std::vector<torch::Tensor> tensors = {};
  bool list = false;
  Json value = nullptr;

  bool is_tensor() const { return !tensors.empty(); }
};

using OperatorInputs = std::map<std::string, OperatorInput>;

/// What a function returned: names and tensors.
using Outputs = std::vector<std::pair<std::string, torch::Tensor>>;

/// Returns the inputs of a point.
/// \param wide       whether floating-point inputs are in float64, with the values of their own dtype
/// \param variation  see operators::input_values
OperatorInputs inputs_at(const operators::Problem& problem, const operators::Point& point, bool wide,
                         uint64_t variation = 0);

/// Calls `visit` for each tensor of the inputs, with the name of its gradient: "x", or "x.0" of a list.
void for_each_tensor(OperatorInputs& inputs,
                     const std::function<void(const std::string& name, torch::Tensor& tensor)>& visit);

/// Returns the inputs that a parameter of the function takes: those that the arm's `arguments` give it, or
/// else those of its own name. Null if there are none.
/// \param arguments  parameter -> input, or a value; null: every parameter takes the input of its name
struct Chosen {
  const OperatorInput* input = nullptr;
  Json value = nullptr;  ///< if there is no input of tensors

  bool is_given() const { return input != nullptr || !value.is_null(); }
};
Chosen chosen_for(const std::string& parameter, const OperatorInputs& inputs, const Json& arguments,
                  const operators::Point& point);

/// Returns a tensor of these values.
torch::Tensor tensor_of(const std::vector<double>& values, const Shape& shape, DType dtype);

/// Returns the dtype of a tensor. \throws UserError if a trace has none like it
DType dtype_of(const torch::Tensor& tensor);
torch::ScalarType scalar_type_of_dtype(DType dtype);

}  // namespace parity::reference
