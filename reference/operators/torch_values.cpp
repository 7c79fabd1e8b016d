// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/operators/torch_values.hpp"

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/text/escape_for_terminal.hpp"

namespace parity::reference {
namespace {

[[noreturn]] void refuse(const c10::Argument& argument, const std::string& what) {
  throw UserError(
      fmt::format("argument {} of the operator is {}, and the case gives {}; name another input with "
                  "the arm's 'arguments'",
                  argument.name(), argument.type()->str(), what));
}

c10::IValue tensors_for(const c10::Argument& argument, const c10::TypePtr& type, const OperatorInput& input) {
  if (type->kind() == c10::TypeKind::ListType) {
    const auto element = type->castRaw<c10::ListType>()->getElementType();
    if (element->kind() == c10::TypeKind::TensorType)
      return c10::List<torch::Tensor>(c10::ArrayRef<torch::Tensor>(input.tensors));
    if (element->kind() == c10::TypeKind::OptionalType) {
      c10::List<std::optional<torch::Tensor>> list;
      for (const torch::Tensor& tensor : input.tensors)
        list.push_back(tensor);
      return list;
    }
  }
  if (type->kind() != c10::TypeKind::TensorType || input.list)
    refuse(argument, input.list ? "a list of tensors" : "a tensor");
  return input.tensors.front();
}

c10::IValue list_for(const c10::Argument& argument, const c10::TypePtr& element, const Json& value) {
  try {
    switch (element->kind()) {
      case c10::TypeKind::IntType:
      case c10::TypeKind::SymIntType:
        return c10::List<int64_t>(c10::ArrayRef<int64_t>(value.get<std::vector<int64_t>>()));
      case c10::TypeKind::FloatType:
        return c10::List<double>(c10::ArrayRef<double>(value.get<std::vector<double>>()));
      default:
        break;
    }
  } catch (const Json::exception&) {
    refuse(argument, escape_to_line(value.dump()));  // an element of another type
  }
  refuse(argument, escape_to_line(value.dump()));
}

c10::IValue scalar_for(const c10::Argument& argument, const c10::TypePtr& type, const Json& value) {
  switch (type->kind()) {
    case c10::TypeKind::IntType:
    case c10::TypeKind::SymIntType:
      if (value.is_number_integer())
        return value.get<int64_t>();
      if (value.is_string() && argument.real_type()->str() == "ScalarType")
        return static_cast<int64_t>(scalar_type_of_dtype(parse_enum<DType>(value.get<std::string>())));
      break;
    case c10::TypeKind::FloatType:
      if (value.is_number())
        return value.get<double>();
      break;
    case c10::TypeKind::BoolType:
      if (value.is_boolean())
        return value.get<bool>();
      break;
    case c10::TypeKind::StringType:
      if (value.is_string())
        return value.get<std::string>();
      break;
    case c10::TypeKind::NumberType:
      if (value.is_number_integer())
        return value.get<int64_t>();
      if (value.is_number())
        return value.get<double>();
      break;
    default:
      break;
  }
  refuse(argument, escape_to_line(value.dump()));
}

}  // namespace

c10::IValue value_for(const c10::Argument& argument, const Chosen& chosen) {
  c10::TypePtr type = argument.type();
  if (type->kind() == c10::TypeKind::OptionalType)
    type = type->castRaw<c10::OptionalType>()->getElementType();
  if (chosen.input != nullptr)
    return tensors_for(argument, type, *chosen.input);
  if (type->kind() == c10::TypeKind::ListType)
    return list_for(argument, type->castRaw<c10::ListType>()->getElementType(),
                    chosen.value.is_array() ? chosen.value : Json::array({chosen.value}));
  return scalar_for(argument, type, chosen.value);
}

}  // namespace parity::reference
