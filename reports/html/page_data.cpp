// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/html/page_data.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "reports/model/checks/label.hpp"
#include "reports/model/curves/gap_label.hpp"
#include "reports/model/curves/shown.hpp"
#include "reports/model/text.hpp"

namespace parity::reports {
namespace {

Json number(const Value& value) {
  if (!value)
    return nullptr;
  if (std::isfinite(*value))
    return *value;
  return std::isnan(*value) ? "nan" : *value > 0 ? "inf" : "-inf";
}

Json number_list(const std::vector<Value>& values) {
  Json list = Json::array();
  for (const Value& value : values)
    list.push_back(number(value));
  return list;
}

size_t index_of(const Case& item, const std::string& arm) {
  return static_cast<size_t>(std::ranges::find(item.arms, arm, &Arm::name) - item.arms.begin());
}

Json series_data(const Case& item, const std::vector<Series>& all) {
  Json list = Json::array();
  for (const Series& one : all)
    list.push_back(Json::array({index_of(item, one.arm), number_list(one.values)}));
  return list;
}

/// Adds rows [key, value] of an object, nested keys joined by dots. Long strings keep their beginning and
/// end.
void flatten(const Json& value, const std::string& key, Texts& texts, Json& rows) {
  if (value.is_object()) {
    for (const auto& [name, inner] : value.items())
      flatten(inner, key.empty() ? name : key + "." + name, texts, rows);
    return;
  }
  const std::string shown = value.is_primitive() ? exact(value) : json_text(value);
  rows.push_back({texts.number(shorten(key, 300)), texts.number(shorten(shown, 1000))});
}

/// Returns the titled tables of one arm: its run, provenance, config.
Json run_data(const Arm& arm, Texts& texts) {
  Json run = Json::array(), provenance = Json::array(), config = Json::array();
  for (const auto& [key, value] :
       {std::pair{"run", arm.run}, std::pair{"trace", arm.trace}, std::pair{"float64 twin", arm.twin}})
    if (!value.empty())
      run.push_back({texts.number(key), texts.number(shorten(value, 1000))});
  flatten(arm.provenance, "", texts, provenance);
  flatten(arm.config, "", texts, config);
  Json tables = Json::array();
  for (auto& [title, rows] :
       {std::pair{"Run", &run}, std::pair{"Provenance", &provenance}, std::pair{"Config", &config}})
    if (!rows->empty())
      tables.push_back(Json::array({title, std::move(*rows)}));
  return tables;
}

/// Returns six digits of a measurement; tables show four.
Json rounded(const Json& value) {
  if (!value.is_number_float())
    return value;
  return std::strtod(fmt::format("{:.6g}", value.get<double>()).c_str(), nullptr);
}

/// Returns the labels of the metrics that some row has, without flags that no row sets.
std::vector<std::string> metrics_of(const std::vector<TensorRow>& rows) {
  std::vector<std::string> names;
  for (const TensorRow& row : rows)
    for (const auto& [name, value] : row.measured.items())
      if (value != false && std::ranges::find(names, name) == names.end())
        names.push_back(name);
  return names;
}

/// [name, step, phase, identical, metric ...]; an identical row ends after its phase if its metrics are all
/// 0.
Json tensor_row_data(const TensorRow& row, const std::vector<std::string>& metrics, Texts& texts) {
  Json cells = {texts.number(one_line(row.name)), row.step, texts.number(one_line(row.phase))};
  const bool plain =
      row.identical && std::all_of(row.measured.begin(), row.measured.end(),
                                   [](const Json& value) { return value == 0 || value == false; });
  if (plain)
    return cells;
  cells.push_back(row.identical);
  for (const std::string& name : metrics)
    cells.push_back(row.measured.contains(name) ? rounded(row.measured[name]) : Json());
  return cells;
}

Json tensor_table(const Check& check, Texts& texts) {
  const std::vector<std::string> metrics = metrics_of(check.tensors);
  Json labels = Json::array(), rows = Json::array();
  for (const std::string& name : metrics)
    labels.push_back(metric_label(name));
  for (const TensorRow& row : check.tensors)
    rows.push_back(tensor_row_data(row, metrics, texts));
  return {{"metrics", std::move(labels)}, {"rows", std::move(rows)}};
}

Json picture_data(const TensorPicture& picture) {
  Json cells = Json::array();
  for (const std::vector<double>& row : picture.cells)
    cells.push_back(number_list({row.begin(), row.end()}));
  return {{"rows", picture.rows},
          {"columns", picture.columns},
          {"row_starts", picture.row_starts},
          {"column_starts", picture.column_starts},
          {"estimated", picture.estimated},
          {"cells", std::move(cells)}};
}

/// Returns the bounds, with sides as numbers of arms. A single side is compared with its golden.
Json bounds_data(const Case& item, const Curve& curve) {
  Json list = Json::array();
  for (const Bound& bound : curve.bounds) {
    Json arms = Json::array();
    for (const std::string& arm : bound.arms)
      arms.push_back(index_of(item, arm));
    list.push_back({{"arms", std::move(arms)},
                    {"label", shorten(pair_label(bound), 120)},
                    {"to_reference", bound.to_reference},
                    {"words", shorten(bound.words, 60)},
                    {"gap", number_list(bound.gap)},
                    {"floor", number_list(bound.floor)},
                    {"limit", number_list(bound.limit)}});
  }
  return list;
}

Json curve_data(const Case& item, const Curve& curve) {
  return {{"channel", shorten(curve.channel, 60)},     {"steps", curve.steps},
          {"series", series_data(item, curve.series)}, {"gap", series_data(item, curve.gap)},
          {"golden", series_data(item, curve.golden)}, {"floor", number_list(curve.floor)},
          {"bounds", bounds_data(item, curve)}};
}

Json mask_data(const Case& item, const MaskPicture& mask) {
  Json arms = Json::array();
  for (const std::string& arm : mask.arms)
    arms.push_back(index_of(item, arm));
  Json data = {{"arms", std::move(arms)}, {"first_token", mask.first_token}, {"documents", mask.documents}};
  if (!mask.first_keys.empty())
    data["first_keys"] = mask.first_keys;
  return data;
}

Json case_data(const Case& item, Texts& texts) {
  Json result = {{"reference", index_of(item, item.reference)},
                 {"arms", Json::array()},
                 {"runs", Json::array()},
                 {"curves", Json::array()},
                 {"masks", Json::array()},
                 {"golden", Json::array()},
                 {"tensors", Json::object()},
                 {"pictures", Json::object()}};
  for (const Arm& arm : item.arms) {
    result["arms"].push_back(shorten(arm.name, 60));
    result["runs"].push_back(run_data(arm, texts));
  }
  for (const Curve& curve : shown_curves(item))
    result["curves"].push_back(curve_data(item, curve));
  for (const MaskPicture& mask : item.masks)
    result["masks"].push_back(mask_data(item, mask));
  for (size_t i = 0; i < item.checks.size(); ++i) {
    const Check& check = item.checks[i];
    if (is_quiet(check)) {
      result["golden"].push_back({texts.number(shorten(check.quantity, 300)),
                                  texts.number(shorten(sides_label(check), 300)),
                                  shorten(check.sentence, 2000)});
      continue;
    }
    const std::string number = std::to_string(i);
    if (!check.tensors.empty())
      result["tensors"][number] = tensor_table(check, texts);
    if (check.picture)
      result["pictures"][number] = picture_data(*check.picture);
  }
  return result;
}

}  // namespace

std::string page_data(const Case& item, const CheckDetails& details, Texts& texts) {
  Json data = case_data(item, texts);
  data["details"] = Json::object();
  for (const auto& [check, inner] : details)
    data["details"][std::to_string(check)] = inner;
  return script_json(data);
}

std::string script_json(const Json& json) {
  std::string text;
  for (const char byte : json_text(json))
    if (byte == '<')
      text += "\\u003c";
    else
      text += byte;
  return text;
}

}  // namespace parity::reports
