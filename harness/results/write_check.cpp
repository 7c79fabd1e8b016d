// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/results/write_check.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "harness/base/json/number.hpp"
#include "harness/results/json_list.hpp"

namespace parity::results {
namespace {

Json number_or_null(const std::optional<double>& value) {
  return value ? json_number(*value) : Json();
}

Json numbers_json(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values)
    list.push_back(json_number(value));
  return list;
}

Json place_json(const Place& place) {
  Json json = {{"step", place.step},
               {"tensor", place.tensor},
               {"index", place.index},
               {"rank", place.rank ? Json(*place.rank) : Json()}};
  if (!place.point.empty())
    json["point"] = place.point;
  return json;
}

Json finding_json(const Finding& finding) {
  return {{"where", finding.where ? place_json(*finding.where) : Json()},
          {"expected", finding.expected},
          {"actual", finding.actual},
          {"metric", finding.metric},
          {"value", finding.value},
          {"limit", finding.limit},
          {"distance",
           {{"ulp", number_or_null(finding.distance.ulp)},
            {"relative", number_or_null(finding.distance.relative)},
            {"floors", number_or_null(finding.distance.floors)}}},
          {"looks_like", finding.looks_like},
          {"next", finding.next},
          {"cause", finding.cause},
          {"more", finding.more}};
}

Json bound_json(const MeasuredBound& bound) {
  return {{"channel", bound.channel},
          {"words", bound.words},
          {"steps", bound.steps},
          {"gap", numbers_json(bound.gap)},
          {"floor", numbers_json(bound.floor)},
          {"limit", numbers_json(bound.limit)}};
}

Json evidence_json(const CheckEvidence& evidence) {
  if (!evidence.stored())
    return {{"source", "measured"}};
  return {{"source", "stored"},
          {"date", evidence.date},
          {"producer", evidence.producer},
          {"commit", evidence.commit},
          {"environment", evidence.environment},
          {"runs", evidence.runs}};
}

Json amount_json(const CoveredAmount& amount) {
  return {{"quantities", amount.quantities}, {"steps", amount.steps}, {"values", amount.values}};
}

Json coverage_json(const Coverage& coverage) {
  if (coverage.text.empty())
    return nullptr;
  Json json = {{"text", coverage.text}};
  for (const SideCoverage& side : coverage.sides)
    json["sides"].push_back({{"name", side.name},
                             {"ranks", {{"asked", side.ranks_asked}, {"found", side.ranks_found}}},
                             {"asked", amount_json(side.asked)},
                             {"found", amount_json(side.found)},
                             {"compared", amount_json(side.compared)}});
  return json;
}

/// Rounds to three significant digits.
double rounded(double value) {
  if (value == 0 || !std::isfinite(value))
    return value;
  char text[32];
  std::snprintf(text, sizeof text, "%.2e", value);
  return std::strtod(text, nullptr);
}

}  // namespace

Json to_json(const TensorRow& row) {
  Json json = row.measured;
  json["step"] = row.step;
  json["phase"] = row.phase;
  json["name"] = row.name;
  json["identical"] = row.identical;
  return json;
}

Json to_json(const MaskPicture& mask) {
  Json json = {
      {"step", mask.step},
      {"row", mask.row},
      {"first_token", mask.first_token},
      {"tokens", mask.tokens},
      {"arms", mask.arms},
      {"documents", mask.documents},
      {"pairs", {{"both", mask.both}, {"only_first", mask.only_first}, {"only_second", mask.only_second}}}};
  if (!mask.first_keys.empty())
    json["first_keys"] = mask.first_keys;
  return json;
}

Json to_json(const TensorPicture& picture) {
  Json cells = Json::array();
  for (const std::vector<double>& row : picture.cells) {
    Json numbers = Json::array();
    for (const double cell : row)
      numbers.push_back(json_number(rounded(cell)));
    cells.push_back(std::move(numbers));
  }
  return {{"step", picture.step},
          {"phase", picture.phase},
          {"tensor", picture.tensor},
          {"shape", picture.shape},
          {"estimated", picture.estimated},
          {"rows", picture.rows},
          {"columns", picture.columns},
          {"row_starts", picture.row_starts},
          {"column_starts", picture.column_starts},
          {"cells", std::move(cells)}};
}

Json to_json(const Check& check) {
  Json json = {{"id", check.id},
               {"kind", name_of(check.kind)},
               {"quantity", check.quantity},
               {"arms", check.arms},
               {"against", check.against},
               {"relation", check.relation},
               {"parameters", check.parameters},
               {"steps", check.steps},
               {"because", check.because},
               {"passed", check.passed},
               {"verdict", check.verdict},
               {"sentence", check.sentence},
               {"measured", check.measured},
               {"limit", check.limit.empty() ? Json() : check.limit},
               {"finding", finding_json(check.finding)},
               {"tensors", list_json(check.tensors, [](const TensorRow& row) { return to_json(row); })},
               {"bounds", list_json(check.bounds, bound_json)},
               {"evidence", check.evidence ? evidence_json(*check.evidence) : Json()},
               {"coverage", coverage_json(check.coverage)},
               {"line", check.line > 0 ? Json(check.line) : Json()}};
  if (check.errors)
    json["errors"] = to_json(*check.errors);
  if (check.picture)
    json["picture"] = to_json(*check.picture);
  return json;
}

}  // namespace parity::results
