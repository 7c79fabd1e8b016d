// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/results/operator_errors.hpp"

#include "harness/results/json_list.hpp"
#include "harness/results/json_members.hpp"

namespace parity::results {
namespace {

Json row_json(const OperatorRow& row) {
  Json sizes = Json::array();
  for (const auto& [symbol, size] : row.sizes)
    sizes.push_back({{"symbol", symbol}, {"size", size}});
  return {{"point", row.point},     {"sizes", sizes},         {"dtype", row.dtype},
          {"phase", row.phase},     {"tensor", row.tensor},   {"passed", row.passed},
          {"verdict", row.verdict}, {"largest", row.largest}, {"mean", row.mean}};
}

/// Reads an error: a number, or "inf"; null if it was not measured.
Json error_from(const JsonNode& node, const char* name) {
  const auto found = node.find(name);
  if (!found)
    return nullptr;
  static_cast<void>(found->number());  // refuses anything else
  return found->json();
}

OperatorRow row_from(const JsonNode& node) {
  OperatorRow row;
  row.point = node.at("point").text();
  row.sizes = list(node, "sizes", [](const JsonNode& size) {
    return std::pair(size.at("symbol").text(), size.at("size").integer());
  });
  row.dtype = node.at("dtype").text();
  row.phase = text_or(node, "phase");
  row.tensor = node.at("tensor").text();
  row.passed = node.at("passed").flag();
  row.verdict = node.at("verdict").text();
  row.largest = error_from(node, "largest");
  row.mean = error_from(node, "mean");
  return row;
}

}  // namespace

Json to_json(const OperatorErrors& errors) {
  Json controls = Json::array();
  for (const auto& [name, answer] : errors.controls)
    controls.push_back({{"control", name}, {"answer", answer}});
  return {{"against", errors.against},
          {"rows", list_json(errors.rows, row_json)},
          {"histogram", errors.histogram},
          {"controls", controls},
          {"reproducer", errors.reproducer}};
}

OperatorErrors read_operator_errors(const JsonNode& node) {
  OperatorErrors errors;
  errors.against = text_or(node, "against");
  errors.rows = list(node, "rows", row_from);
  errors.histogram = list(node, "histogram", [](const JsonNode& count) { return count.integer(); });
  errors.controls = list(node, "controls", [](const JsonNode& row) {
    return std::pair(row.at("control").text(), row.at("answer").text());
  });
  errors.reproducer = text_or(node, "reproducer");
  return errors;
}

}  // namespace parity::results
