// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "harness/operators/problem/problem.hpp"
#include "reference/operators/inputs.hpp"

namespace parity::reference {

/// A function that an arm names.
class OperatorFunction {
 public:
  virtual ~OperatorFunction() = default;
  OperatorFunction() = default;
  OperatorFunction(const OperatorFunction&) = delete;
  OperatorFunction& operator=(const OperatorFunction&) = delete;

  /// Returns all tensors that the function returns, in order.
  virtual std::vector<torch::Tensor> call(const OperatorInputs& inputs, const operators::Point& point) = 0;
  /// Returns whether autograd derives its outputs. If not, `gradients` does.
  virtual bool has_autograd() const = 0;
  /// Returns the gradients of the named inputs.
  /// \param cotangents  gradients with respect to the outputs, by name
  virtual Outputs gradients(const OperatorInputs& inputs, const std::vector<std::string>& wanted,
                            const Outputs& outputs, const Outputs& cotangents,
                            const operators::Point& point) = 0;
};

/// Returns an operator of LibTorch or of a custom library.
/// \throws UserError if the library cannot be loaded, or has no such operator (with the nearest names)
std::unique_ptr<OperatorFunction> torch_operator(const std::string& name, const std::string& library,
                                                 const Json& arguments);

/// Returns a C function of a library.
/// \throws UserError if the library cannot be loaded, has no such symbol, or if a signature cannot be called
std::unique_ptr<OperatorFunction> c_function(const Json& arm, const std::string& library);

/// Opens a library for good. \throws UserError with the loader's reason
void* open_library(const std::string& path);

}  // namespace parity::reference
