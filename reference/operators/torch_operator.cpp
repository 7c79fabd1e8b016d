// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <ATen/core/dispatch/Dispatcher.h>

#include "harness/base/error.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/base/text/nearest.hpp"
#include "reference/operators/operator_function.hpp"
#include "reference/operators/torch_values.hpp"

namespace parity::reference {
namespace {

std::string text_of(const c10::OperatorName& name) {
  return name.overload_name.empty() ? name.name : name.name + "." + name.overload_name;
}

/// Returns the operator of "NAMESPACE::NAME" or "NAMESPACE::NAME.OVERLOAD".
c10::OperatorHandle find_operator(const std::string& name) {
  const size_t dot = name.find('.', name.find("::") == std::string::npos ? 0 : name.find("::"));
  const c10::OperatorName wanted(name.substr(0, dot), dot == std::string::npos ? "" : name.substr(dot + 1));
  const auto found = c10::Dispatcher::singleton().findSchema(wanted);
  if (found)
    return *found;
  std::vector<std::string> all, overloads;
  for (const c10::OperatorName& each : c10::Dispatcher::singleton().getAllOpNames()) {
    all.push_back(text_of(each));
    if (each.name == wanted.name)
      overloads.push_back(text_of(each));
  }
  std::ranges::sort(overloads);
  if (!overloads.empty())
    throw UserError(fmt::format("operator {} has overloads; name one of {}", parity::quoted(name),
                                fmt::join(overloads, ", ")));
  const std::string near = nearest(name, all);
  throw UserError("there is no operator " + parity::quoted(name) +
                  (near.empty() ? "; write NAMESPACE::NAME" : "; did you mean " + near + "?"));
}

class TorchOperator : public OperatorFunction {
 public:
  TorchOperator(const std::string& name, Json arguments)
      : handle_(find_operator(name)), arguments_(std::move(arguments)) {
    std::vector<std::string> known;
    for (const c10::Argument& argument : handle_.schema().arguments())
      known.push_back(argument.name());
    if (arguments_.is_object())
      for (const auto& [parameter, value] : arguments_.items())
        if (std::ranges::find(known, parameter) == known.end())
          throw UserError(fmt::format("the operator has no argument {}{}; its schema is {}",
                                      parity::quoted(parameter), suggestion(parameter, known),
                                      schema_text()));
  }

  std::vector<torch::Tensor> call(const OperatorInputs& inputs, const operators::Point& point) override {
    check_names(inputs);
    torch::jit::Stack stack;
    for (const c10::Argument& argument : handle_.schema().arguments()) {
      const Chosen chosen = chosen_for(argument.name(), inputs, arguments_, point);
      if (chosen.is_given())
        stack.push_back(value_for(argument, chosen));
      else if (argument.default_value())
        stack.push_back(*argument.default_value());
      else if (argument.type()->kind() == c10::TypeKind::OptionalType)
        stack.emplace_back();
      else
        throw UserError(fmt::format("the case gives no argument {} of the operator, whose schema is {}",
                                    argument.name(), schema_text()));
    }
    handle_.callBoxed(stack);
    std::vector<torch::Tensor> outputs;
    for (const c10::IValue& value : stack)
      add_tensors(outputs, value);
    return outputs;
  }

  bool has_autograd() const override { return true; }
  Outputs gradients(const OperatorInputs&, const std::vector<std::string>&, const Outputs&, const Outputs&,
                    const operators::Point&) override {
    throw InternalError("autograd derives operators");
  }

 private:
  std::string schema_text() const {
    std::ostringstream text;
    text << handle_.schema();
    return text.str();
  }

  /// Requires that the operator has a parameter for each input, if the arm does not say which it takes.
  void check_names(const OperatorInputs& inputs) const {
    if (arguments_.is_object())
      return;
    for (const auto& [name, input] : inputs)
      if (std::ranges::none_of(handle_.schema().arguments(),
                               [&](const c10::Argument& argument) { return argument.name() == name; }))
        throw UserError(
            fmt::format("the operator has no argument {}; name its arguments with the arm's "
                        "'arguments'; its schema is {}",
                        parity::quoted(name), schema_text()));
  }

  static void add_tensors(std::vector<torch::Tensor>& outputs, const c10::IValue& value) {
    if (value.isTensor())
      outputs.push_back(value.toTensor());
    else if (value.isTensorList())
      for (const torch::Tensor& tensor : value.toTensorVector())
        outputs.push_back(tensor);
  }

  c10::OperatorHandle handle_;
  Json arguments_;
};

}  // namespace

void* open_library(const std::string& path) {
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr)
    throw UserError(fmt::format("cannot load {} ({})", escape_to_line(path), escape_to_line(::dlerror())));
  return library;
}

std::unique_ptr<OperatorFunction> torch_operator(const std::string& name, const std::string& library,
                                                 const Json& arguments) {
  if (!library.empty())
    open_library(library);
  return std::make_unique<TorchOperator>(name, arguments);
}

}  // namespace parity::reference
