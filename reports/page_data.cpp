// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/page_data.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "reports/text.hpp"

namespace parity::reports {
namespace {

constexpr std::array<std::string_view, 3> first_channels = {"loss", "lr", "grad_norm"};

Json number(const Value& value) {
  if (!value)
    return nullptr;
  if (std::isfinite(*value))
    return *value;
  return std::isnan(*value) ? "nan" : *value > 0 ? "inf" : "-inf";
}

Json numbers(const std::vector<Value>& values) {
  Json list = Json::array();
  for (const Value& value : values)
    list.push_back(number(value));
  return list;
}

size_t index_of(const Case& item, const std::string& arm) {
  return static_cast<size_t>(std::ranges::find(item.arms, arm, &Arm::name) - item.arms.begin());
}

Json series(const Case& item, const std::vector<Series>& all) {
  Json list = Json::array();
  for (const Series& one : all)
    list.push_back(Json::array({index_of(item, one.arm), numbers(one.values)}));
  return list;
}

/// Rows [key, value] of an object, nested keys joined by dots. Long strings keep their beginning and end.
void flatten(const Json& value, const std::string& key, Json& rows) {
  if (value.is_object())
    for (const auto& [name, inner] : value.items())
      flatten(inner, key.empty() ? name : key + "." + name, rows);
  else
    rows.push_back({shorten(key, 300),
                    value.is_primitive() ? shorten(exact(value), 1000) : shorten(value.dump(), 1000)});
}

/// Titled tables of one arm: its run, provenance, config.
Json run_data(const Arm& arm) {
  Json run = Json::array(), provenance = Json::array(), config = Json::array();
  for (const auto& [key, value] :
       {std::pair{"run", arm.run}, std::pair{"trace", arm.trace}, std::pair{"float64 twin", arm.twin}})
    if (!value.empty())
      run.push_back({key, shorten(value, 1000)});
  flatten(arm.provenance, "", provenance);
  flatten(arm.config, "", config);
  Json tables = Json::array();
  for (auto& [title, rows] :
       {std::pair{"Run", &run}, std::pair{"Provenance", &provenance}, std::pair{"Config", &config}})
    if (!rows->empty())
      tables.push_back(Json::array({title, std::move(*rows)}));
  return tables;
}

Json case_data(const Case& item) {
  Json result = {{"reference", index_of(item, item.reference)},
                 {"arms", Json::array()},
                 {"runs", Json::array()},
                 {"curves", Json::array()},
                 {"masks", Json::array()},
                 {"tensors", Json::array()}};
  for (const Arm& arm : item.arms) {
    result["arms"].push_back(shorten(arm.name, 60));
    result["runs"].push_back(run_data(arm));
  }
  for (const Curve* curve : shown_curves(item))
    result["curves"].push_back({{"channel", shorten(curve->channel, 60)},
                                {"steps", curve->steps},
                                {"series", series(item, curve->series)},
                                {"gap", series(item, curve->gap)},
                                {"golden", series(item, curve->golden)},
                                {"floor", numbers(curve->floor)}});
  for (const MaskPicture& mask : item.masks) {
    Json arms = Json::array();
    for (const std::string& arm : mask.arms)
      arms.push_back(index_of(item, arm));
    result["masks"].push_back(
        {{"arms", std::move(arms)}, {"first_token", mask.first_token}, {"documents", mask.documents}});
  }
  for (const Check& check : item.checks) {
    Json rows = Json::array();
    for (const TensorRow& row : check.tensors) {
      Json measured = Json::object();
      for (const auto& [name, value] : row.measured.items())
        measured[metric_label(name)] = value;
      rows.push_back({{"step", row.step},
                      {"phase", one_line(row.phase)},
                      {"name", one_line(row.name)},
                      {"identical", row.identical},
                      {"measured", std::move(measured)}});
    }
    result["tensors"].push_back(std::move(rows));
  }
  return result;
}

}  // namespace

std::vector<const Curve*> shown_curves(const Case& item) {
  std::vector<const Curve*> curves;
  for (const std::string_view name : first_channels)
    for (const Curve& curve : item.curves)
      if (curve.channel == name)
        curves.push_back(&curve);
  for (const Curve& curve : item.curves)
    if (std::ranges::find(first_channels, curve.channel) == first_channels.end())
      curves.push_back(&curve);
  return curves;
}

std::string page_data(const Results& results) {
  Json cases = Json::array();
  for (const Case& item : results.cases)
    cases.push_back(case_data(item));
  std::string escaped;
  for (const char byte : Json{{"cases", std::move(cases)}}.dump())
    escaped += byte == '<' ? "\\u003c" : std::string(1, byte);
  return escaped;
}

}  // namespace parity::reports
