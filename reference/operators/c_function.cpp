// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cstring>
#include <optional>

#include <dlfcn.h>
#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/json/fields.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "reference/operators/c_signature.hpp"
#include "reference/operators/operator_function.hpp"

namespace parity::reference {
namespace {

/// Returns whether a pointer of a type may lead to elements of a tensor.
bool fits(CType type, torch::ScalarType elements) {
  switch (type) {
    case CType::float_pointer:
      return elements == torch::kFloat;
    case CType::double_pointer:
      return elements == torch::kDouble;
    case CType::half_pointer:
      return elements == torch::kBFloat16 || elements == torch::kHalf;
    case CType::int64_pointer:
      return elements == torch::kLong;
    default:
      return type == CType::any_pointer;
  }
}

/// Returns a number as a register holds it: a float is in the low half.
double as_passed(CType type, double value) {
  if (type == CType::float64)
    return value;
  return std::bit_cast<double>(uint64_t{std::bit_cast<uint32_t>(static_cast<float>(value))});
}

/// A C function with its parameters.
struct Declared {
  void* address = nullptr;
  std::string symbol;
  std::vector<CParameter> parameters;
};

Declared declared(void* library, const std::string& symbol, const std::string& signature) {
  Declared function{::dlsym(library, symbol.c_str()), symbol, parse_signature(signature)};
  if (function.address == nullptr)
    throw UserError(
        fmt::format("the library has no symbol {} (list them with nm -D)", parity::quoted(symbol)));
  return function;
}

/// An output in memory that is filled with NaN, other types with bytes of 0xA5. So elements of a
/// floating-point or bool output that the function does not write are found, and writes before and behind any
/// output. An integer may be any bytes: the comparison finds those.
class GuardedOutput {
 public:
  GuardedOutput(const torch::Tensor& like, std::string name) : name_(std::move(name)) {
    const int64_t count = like.numel();
    memory_ = torch::empty({count + 2 * border}, like.options().requires_grad(false));
    memory_.view(torch::kUInt8).fill_(untouched);
    output_ = memory_.narrow(0, border, count).view(like.sizes());
    if (output_.is_floating_point())
      output_.fill_(NAN);
  }
  const torch::Tensor& output() const { return output_; }
  /// \throws UserError if the function wrote outside of the output, or left elements of bool unwritten
  void check(const std::string& function) const {
    for (const auto& part :
         {memory_.narrow(0, 0, border), memory_.narrow(0, memory_.numel() - border, border)})
      if (!(part.view(torch::kUInt8) == untouched).all().item<bool>())
        throw UserError(fmt::format("{} writes outside of {} (which has {} elements); correct its sizes",
                                    function, name_, output_.numel()));
    if (output_.scalar_type() != torch::kBool)
      return;
    const int64_t other =
        (memory_.narrow(0, border, output_.numel()).view(torch::kUInt8) > 1).sum().item<int64_t>();
    if (other > 0)
      throw UserError(
          fmt::format("{} leaves {} of {} elements of {} neither 0 nor 1, as bool needs; write each",
                      function, other, output_.numel(), name_));
  }

 private:
  static constexpr int64_t border = 64;  ///< elements, which keep the alignment of the memory
  static constexpr uint8_t untouched = 0xA5;

  std::string name_;
  torch::Tensor memory_, output_;
};

class CFunction : public OperatorFunction {
 public:
  CFunction(const Json& arm, const std::string& library) : arguments_(arm.value("arguments", Json())) {
    void* opened = open_library(library);
    forward_ = declared(opened, text_or(arm, "symbol"), text_or(arm, "signature"));
    if (arm.contains("backward"))
      backward_ = declared(opened, text_or(arm, "backward"), text_or(arm, "backward_signature"));
  }

  /// An output has the shape and dtype of the first tensor among the inputs.
  std::vector<torch::Tensor> call(const OperatorInputs& inputs, const operators::Point& point) override {
    std::vector<torch::Tensor> outputs;
    run(forward_, inputs, {}, point, [&](const CParameter& parameter) {
      const GuardedOutput memory(first_tensor(inputs, point), parameter.name);
      outputs.push_back(memory.output());
      return memory;
    });
    return outputs;
  }

  bool has_autograd() const override { return false; }

  Outputs gradients(const OperatorInputs& inputs, const std::vector<std::string>& wanted, const Outputs&,
                    const Outputs& cotangents, const operators::Point& point) override {
    if (!backward_)
      throw UserError(
          "the case asks for gradients, and the C function has none; name one with 'backward' and "
          "'backward_signature'");
    std::map<std::string, torch::Tensor> made;
    run(*backward_, inputs, cotangents, point, [&](const CParameter& parameter) {
      for (const std::string& name : wanted)
        if (parameter.name == "grad_" + name) {
          GuardedOutput memory(tensor_named(inputs, name), parameter.name);
          made[name] = memory.output();
          return memory;
        }
      throw UserError(
          fmt::format("the backward function writes {}, which is not the gradient of an input; call it "
                      "grad_INPUT",
                      parameter.name));
    });
    Outputs gradients;
    for (const std::string& name : wanted) {
      if (!made.contains(name))
        throw UserError(fmt::format("the backward function has no parameter grad_{}", name));
      gradients.emplace_back(name, made[name]);
    }
    return gradients;
  }

 private:
  /// Returns the tensor of the first parameter through which the function reads.
  torch::Tensor first_tensor(const OperatorInputs& inputs, const operators::Point& point) const {
    for (const CParameter& parameter : forward_.parameters)
      if (parameter.is_pointer() && parameter.is_const)
        return tensor_for(parameter, inputs, {}, point);
    throw UserError("the C function needs an input that is a tensor, as a pointer to const");
  }

  static torch::Tensor tensor_named(const OperatorInputs& inputs, const std::string& name) {
    const auto found = inputs.find(name);
    if (found == inputs.end() || !found->second.is_tensor())
      throw UserError(fmt::format("the C function has no input {} that is a tensor", name));
    return found->second.tensors.front();
  }

  template <class Written>
  void run(const Declared& function, const OperatorInputs& inputs, const Outputs& cotangents,
           const operators::Point& point, const Written& written) {
    std::vector<torch::Tensor> alive;
    std::vector<GuardedOutput> outputs;
    std::vector<CArgument> passed;
    for (const CParameter& parameter : function.parameters) {
      if (!parameter.is_pointer()) {
        passed.push_back(number_for(parameter, inputs, point));
        continue;
      }
      if (!parameter.is_const)
        outputs.push_back(written(parameter));
      alive.push_back(parameter.is_const ? tensor_for(parameter, inputs, cotangents, point)
                                         : outputs.back().output());
      if (!fits(parameter.type, alive.back().scalar_type()))
        throw UserError(
            fmt::format("{} of {} is a pointer to another type than {}; sweep only the dtypes that the "
                        "function is for",
                        parameter.name, function.symbol, c10::toString(alive.back().scalar_type())));
      passed.push_back({false, static_cast<int64_t>(reinterpret_cast<intptr_t>(alive.back().data_ptr()))});
    }
    call_c_function(function.address, passed);
    for (const GuardedOutput& output : outputs)
      output.check(function.symbol);
  }

  torch::Tensor tensor_for(const CParameter& parameter, const OperatorInputs& inputs,
                           const Outputs& cotangents, const operators::Point& point) const {
    for (const auto& [name, tensor] : cotangents)
      if (parameter.name == "grad_" + name)
        return tensor.contiguous();
    const Chosen chosen = chosen_for(parameter.name, inputs, arguments_, point);
    if (chosen.input == nullptr || chosen.input->list)
      throw UserError(
          fmt::format("no input that is one tensor is called {}; name it with the arm's 'arguments'",
                      parity::quoted(parameter.name)));
    return chosen.input->tensors.front().contiguous();
  }

  CArgument number_for(const CParameter& parameter, const OperatorInputs& inputs,
                       const operators::Point& point) const {
    Json value = chosen_for(parameter.name, inputs, arguments_, point).value;
    if (const auto size = point.sizes.find(parameter.name); value.is_null() && size != point.sizes.end())
      value = size->second;
    const bool floating = parameter.type == CType::float32 || parameter.type == CType::float64;
    if (value.is_boolean())
      value = value.get<bool>() ? 1 : 0;
    if (!value.is_number() || (!floating && !value.is_number_integer()))
      throw UserError(fmt::format("no input gives {} a number; name one with the arm's 'arguments'",
                                  parity::quoted(parameter.name)));
    CArgument argument;
    argument.floating = floating;
    if (floating)
      argument.number = as_passed(parameter.type, value.get<double>());
    else
      argument.integer = value.get<int64_t>();
    return argument;
  }

  Json arguments_;
  Declared forward_;
  std::optional<Declared> backward_ = {};
};

}  // namespace

std::unique_ptr<OperatorFunction> c_function(const Json& arm, const std::string& library) {
  return std::make_unique<CFunction>(arm, library);
}

}  // namespace parity::reference
