// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/json/fields.hpp"
#include "harness/operators/problem/problem.hpp"

namespace parity::operators {
namespace {

Json size_json(const Size& size) {
  return size.symbol.empty() ? Json(size.number) : Json(size.symbol);
}

Size size_from(const Json& json) {
  if (json.is_string())
    return {0, json.get<std::string>()};
  return {json.get<int64_t>()};
}

Json tensor_json(const TensorSpec& tensor) {
  Json shape = Json::array();
  for (const Size& size : tensor.shape)
    shape.push_back(size_json(size));
  Json json = {{"shape", shape},
               {"values", name_of(tensor.values)},
               {"scale", tensor.scale},
               {"shift", tensor.shift},
               {"grad", tensor.grad}};
  if (tensor.dtype)
    json["dtype"] = name_of(*tensor.dtype);
  if (tensor.values == ValueKind::integers) {
    json["low"] = size_json(tensor.low);
    json["high"] = size_json(tensor.high);
  }
  if (tensor.ignored)
    json["ignored"] = *tensor.ignored;
  if (!tensor.from.empty()) {
    json["file"] = tensor.file;
    json["from"] = tensor.from;
  }
  return json;
}

TensorSpec tensor_from(const Json& json) {
  TensorSpec tensor;
  for (const Json& size : json.at("shape"))
    tensor.shape.push_back(size_from(size));
  tensor.values = parse_enum<ValueKind>(json.at("values").get<std::string>());
  tensor.scale = json.at("scale").get<double>();
  tensor.shift = json.at("shift").get<double>();
  tensor.grad = json.at("grad").get<bool>();
  if (json.contains("dtype"))
    tensor.dtype = parse_enum<DType>(json["dtype"].get<std::string>());
  if (json.contains("low"))
    tensor.low = size_from(json["low"]);
  if (json.contains("high"))
    tensor.high = size_from(json["high"]);
  if (json.contains("ignored"))
    tensor.ignored = json["ignored"].get<int64_t>();
  tensor.file = text_or(json, "file");
  tensor.from = text_or(json, "from");
  return tensor;
}

Json input_json(const Input& input) {
  Json json = {{"name", input.name}};
  if (input.tensors.empty()) {
    json["value"] = input.value;
    return json;
  }
  json["list"] = input.list;
  for (const TensorSpec& tensor : input.tensors)
    json["tensors"].push_back(tensor_json(tensor));
  return json;
}

Input input_from(const Json& json) {
  Input input;
  input.name = json.at("name").get<std::string>();
  if (json.contains("value")) {
    input.value = json["value"];
    return input;
  }
  input.list = json.at("list").get<bool>();
  for (const Json& tensor : json.at("tensors"))
    input.tensors.push_back(tensor_from(tensor));
  return input;
}

}  // namespace

Json Problem::to_json() const {
  Json json = {{"inputs", Json::array()}, {"points", Json::array()}, {"outputs", outputs}};
  for (const Input& input : inputs)
    json["inputs"].push_back(input_json(input));
  for (const Point& point : points) {
    Json row = point.sizes;
    if (row.is_null())
      row = Json::object();
    json["points"].push_back({{"sizes", row}, {"dtype", name_of(point.dtype)}});
  }
  if (!batch.empty())
    json["batch"] = batch;
  if (!length.empty())
    json["length"] = length;
  return json;
}

Problem Problem::from_json(const Json& json) {
  try {
    Problem problem;
    for (const Json& input : json.at("inputs"))
      problem.inputs.push_back(input_from(input));
    for (const Json& row : json.at("points")) {
      Point point;
      for (const auto& [symbol, size] : row.at("sizes").items())
        point.sizes[symbol] = size.get<int64_t>();
      point.dtype = parse_enum<DType>(row.at("dtype").get<std::string>());
      problem.points.push_back(std::move(point));
    }
    problem.outputs = json.at("outputs").get<std::vector<std::string>>();
    problem.batch = text_or(json, "batch");
    problem.length = text_or(json, "length");
    return problem;
  } catch (const Json::exception& error) {
    throw UserError(fmt::format("cannot read the operator's problem ({}); take it from a run's config.json",
                                error.what()));
  }
}

}  // namespace parity::operators
