// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/operators/c_signature.hpp"

#include <array>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/text/escape_for_terminal.hpp"

namespace parity::reference {
namespace {

constexpr std::array<std::pair<const char*, CType>, 15> types = {{
    {"float*", CType::float_pointer},
    {"double*", CType::double_pointer},
    {"uint16_t*", CType::half_pointer},
    {"int64_t*", CType::int64_pointer},
    {"void*", CType::any_pointer},
    {"int64_t", CType::int64},
    {"size_t", CType::int64},
    {"long", CType::int64},
    {"int", CType::int32},
    {"int32_t", CType::int32},
    {"bool", CType::int32},
    {"uint32_t", CType::int32},
    {"unsigned", CType::int32},
    {"float", CType::float32},
    {"double", CType::float64},
}};

CParameter parse_parameter(std::string text, const std::string& signature) {
  for (size_t star = text.find('*'); star != std::string::npos; star = text.find('*', star + 2))
    text.replace(star, 1, "* ");
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) {
    if (word == "*" && !words.empty())
      words.back() += "*";
    else
      words.push_back(word);
  }
  CParameter parameter;
  if (!words.empty() && words.front() == "const") {
    parameter.is_const = true;
    words.erase(words.begin());
  }
  if (words.size() != 2)
    throw UserError(
        fmt::format("cannot read parameter {} of the signature {} (it needs a type and a name); write "
                    "\"void(const float* x, float* out, int64_t n)\"",
                    parity::quoted(text), parity::quoted(signature)));
  for (const auto& [name, type] : types)
    if (words[0] == name) {
      parameter.type = type;
      parameter.name = words[1];
      return parameter;
    }
  throw UserError(
      fmt::format("the signature has the type {}, which cannot be called; take float*, double*, uint16_t* "
                  "(16-bit numbers), int64_t*, int64_t, int32_t, float or double",
                  parity::quoted(words[0])));
}

}  // namespace

std::vector<CParameter> parse_signature(const std::string& text) {
  const size_t open = text.find('('), close = text.rfind(')');
  std::istringstream result(text.substr(0, open));
  std::string type;
  result >> type;
  if (open == std::string::npos || close == std::string::npos || close < open || type != "void")
    throw UserError(
        fmt::format("cannot read the signature {} (it is no function of void); write \"void(const float* "
                    "x, float* out, int64_t n)\"",
                    parity::quoted(text)));
  std::vector<CParameter> parameters;
  std::istringstream inside(text.substr(open + 1, close - open - 1));
  for (std::string one; std::getline(inside, one, ',');)
    parameters.push_back(parse_parameter(one, text));
  return parameters;
}

void call_c_function(void* function, const std::vector<CArgument>& arguments) {
  std::array<int64_t, 14> i = {};
  std::array<double, 8> n = {};
  size_t integers = 0, numbers = 0;
  for (const CArgument& argument : arguments) {
    if ((argument.floating && numbers == n.size()) || (!argument.floating && integers == i.size()))
      throw UserError(
          "cannot call the C function (it has more than 14 integers and pointers, or more than 8 numbers); "
          "wrap it in a function of fewer");
    if (argument.floating)
      n.at(numbers++) = argument.number;
    else
      i.at(integers++) = argument.integer;
  }
  using Function = void (*)(int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t,
                            int64_t, int64_t, int64_t, int64_t, int64_t, double, double, double, double,
                            double, double, double, double);
  reinterpret_cast<Function>(function)(i[0], i[1], i[2], i[3], i[4], i[5], i[6], i[7], i[8], i[9], i[10],
                                       i[11], i[12], i[13], n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7]);
}

}  // namespace parity::reference
