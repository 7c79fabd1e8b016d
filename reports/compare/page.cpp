// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/compare/page.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "reports/html/page.hpp"
#include "reports/html/page_data.hpp"
#include "reports/html/page_parts.hpp"
#include "reports/html/templates.hpp"

namespace parity::reports {
namespace {

/// Appends numbers as JSON: all digits, or `digits` of a thinned curve.
void append_numbers(std::string& json, const std::vector<Value>& values, int digits) {
  json += '[';
  for (const Value& value : values) {
    if (json.back() != '[')
      json += ',';
    if (!value)
      json += "null";
    else if (std::isnan(*value))
      json += "\"nan\"";
    else if (std::isinf(*value))
      json += *value > 0 ? "\"inf\"" : "\"-inf\"";
    else if (digits > 0)
      fmt::format_to(std::back_inserter(json), "{:.{}g}", *value, digits);
    else
      fmt::format_to(std::back_inserter(json), "{}", *value);
  }
  json += ']';
}

size_t number_of(const std::vector<ComparedSide>& sides, const std::string& label) {
  return static_cast<size_t>(std::ranges::find(sides, label, &ComparedSide::label) - sides.begin());
}

/// Appends series as [[side, [values]], ...].
void append_series(std::string& json, const std::vector<Series>& all, const std::vector<ComparedSide>& sides,
                   int digits) {
  json += '[';
  for (const Series& series : all) {
    json += fmt::format("{}[{},", json.back() == '[' ? "" : ",", number_of(sides, series.arm));
    append_numbers(json, series.values, digits);
    json += ']';
  }
  json += ']';
}

/// Returns the curve in the form that page_data.hpp gives curves in. It names the element of its steps.
std::string curve_json(const OverlayCurve& overlay, size_t steps_number,
                       const std::vector<ComparedSide>& sides) {
  const bool thinned = overlay.merged > 1;
  std::string json = fmt::format("{{\"steps\":{},\"series\":", steps_number);
  append_series(json, overlay.curve.series, sides, thinned ? 7 : 0);
  json += ",\"gap\":";
  append_series(json, overlay.curve.gap, sides, thinned ? 4 : 0);
  json += ",\"golden\":[],\"floor\":";
  append_numbers(json, overlay.curve.floor, thinned ? 4 : 0);
  return json + ",\"bounds\":[]}";
}

/// Returns the data of all curves. Channels with the same steps share one list of them.
std::string page_elements(const Comparison& comparison, const std::vector<size_t>& order) {
  Json names = Json::array();
  for (const ComparedSide& side : comparison.sides)
    names.push_back(shorten(one_line(side.label), 60));
  std::string text = data_element(
      "sides", script_json({{"reference", 0}, {"arms", names}, {"band", one_line(comparison.band)}}));
  std::vector<const std::vector<int64_t>*> lists;
  for (size_t number = 0; number < order.size(); ++number) {
    const OverlayCurve& overlay = comparison.channels[order[number]].curve;
    const std::vector<int64_t>& steps = overlay.curve.steps;
    const auto known = std::ranges::find_if(lists, [&](const auto* list) { return *list == steps; });
    const auto place = static_cast<size_t>(known - lists.begin());
    if (known == lists.end()) {
      lists.push_back(&steps);
      text += data_element("steps-" + std::to_string(place), json_text(Json(steps)));
    }
    text += data_element("data-" + std::to_string(number), curve_json(overlay, place, comparison.sides));
  }
  return text;
}

std::string thinning_text(const OverlayCurve& curve) {
  if (curve.merged == 1)
    return "";
  return fmt::format(
      "Thinned: two points stand for up to {} steps. They are the smallest and the largest value of each "
      "side "
      "and of the gap there, rounded to 7 and 4 digits.",
      curve.merged);
}

Data channel_figure(const ComparedChannel& channel, size_t number) {
  Data row, words = list();
  for (const std::string& sentence : channel.words)
    words.push_back(Data{"sentence", text_of(sentence)});
  row.set("number", std::to_string(number));
  row.set("label", name_of(channel.name));
  row.set("words", words);
  row.set("has_curve", !channel.curve.curve.steps.empty());
  row.set("thinned", optional(thinning_text(channel.curve)));
  set_verdict(row, channel.agrees() ? "identical" : "different");
  row.set("verdict_word", channel.verdict());
  return row;
}

Data channel_figures(const Comparison& comparison, const std::vector<size_t>& order, size_t begin,
                     size_t end) {
  Data rows = list();
  for (size_t number = begin; number < std::min(end, order.size()); ++number)
    rows.push_back(channel_figure(comparison.channels[order[number]], number));
  return rows;
}

Data table_rows(const Comparison& comparison, const std::vector<size_t>& order) {
  Data rows = list();
  for (const size_t place : order)
    for (const ComparedRow& found : comparison.channels[place].rows) {
      Data row = pair("name", breakable(comparison.channels[place].name), "verdict_word", found.verdict);
      Data cells = list();
      row.set("has_side", comparison.sides.size() > 2);
      row.set("side", name_of(found.side));
      set_verdict(row, found.agrees ? "identical" : "different");
      for (size_t i = 0; i < found.cells.size(); ++i)
        cells.push_back(pair("cell", text_of(found.cells[i]), "head", comparison.heads.at(i)));
      row.set("cells", cells);
      rows.push_back(row);
    }
  return rows;
}

Data fact_rows(const std::vector<ComparedSide>& sides) {
  Data rows = list();
  for (size_t i = 0; i < sides.front().facts.size(); ++i) {
    Data row, values = list();
    for (const ComparedSide& side : sides)
      values.push_back(Data{"value", text_of(side.facts.at(i).second)});
    row.set("key", sides.front().facts[i].first);
    row.set("values", values);
    rows.push_back(row);
  }
  return rows;
}

/// Returns the sides with their numbers, for the legend and the heads of the facts.
Data labels_of(const std::vector<ComparedSide>& sides) {
  Data rows = list();
  for (size_t i = 0; i < sides.size(); ++i)
    rows.push_back(pair("number", std::to_string(i), "label", name_of(sides[i].label)));
  return rows;
}

Data cell_of(const ComparedCell& cell) {
  Data data;
  data.set("text", cell.is_code ? breakable(cell.text) : kainjow::mustache::html_escape(text_of(cell.text)));
  data.set("code", cell.is_code);
  data.set("plain", !cell.is_code);
  data.set("has_heat", cell.heat >= 0);
  data.set("heat", fmt::format("{:.0f}", 50 * std::clamp(cell.heat, 0.0, 1.0)));
  return data;
}

Data tables_of(const std::vector<ComparedTable>& tables) {
  Data all = list();
  for (const ComparedTable& table : tables) {
    Data data = pair("title", name_of(table.title), "id", std::to_string(&table - tables.data()));
    Data heads = list(), rows = list();
    for (const std::string& head : table.heads)
      heads.push_back(Data{"head", name_of(head)});
    for (const std::vector<ComparedCell>& row : table.rows) {
      Data cells = list(), one;
      for (const ComparedCell& cell : row)
        cells.push_back(cell_of(cell));
      one.set("cells", cells);
      rows.push_back(one);
    }
    data.set("heads", heads);
    data.set("rows", rows);
    data.set("filled", !table.rows.empty());
    data.set("note", optional(text_of(table.note)));
    all.push_back(data);
  }
  return all;
}

Data column(const char* key, const std::vector<std::string>& texts) {
  Data rows = list();
  for (const std::string& text : texts)
    rows.push_back(Data{key, text_of(text)});
  return rows;
}

}  // namespace

std::string comparison_page(const Comparison& comparison) {
  const std::vector<size_t> order = curve_order(comparison.channels);
  Data data;
  data.set("title", optional(name_of(comparison.title)));
  data.set("page_title", name_of(comparison.title.empty() ? comparison.verdict : comparison.title));
  data.set("verdict", text_of(comparison.verdict));
  data.set("state", comparison.agrees ? "pass" : "fail");
  data.set("mark", comparison.agrees ? "=" : "≠");
  data.set("sides", labels_of(comparison.sides));
  data.set("many", comparison.sides.size() > 2);
  data.set("has_band", optional(one_line(comparison.band)));
  data.set("facts", fact_rows(comparison.sides));
  data.set("has_rows", !comparison.channels.empty());
  data.set("tables", tables_of(comparison.tables));
  data.set("heads", column("head", comparison.heads));
  data.set("rows", table_rows(comparison, order));
  data.set("has_notes", !comparison.notes.empty());
  data.set("notes", column("note", comparison.notes));
  data.set("has_curves", !order.empty());
  data.set("figures", channel_figures(comparison, order, 0, most_open));
  data.set("has_more", order.size() > most_open);
  data.set("more", order.size() > most_open ? count(order.size() - most_open, "more channel") : "");
  data.set("more_figures", channel_figures(comparison, order, most_open, order.size()));
  data.set("plot_library", std::string(plot_library_name));
  data.set("css", std::string(templates::report_css) + std::string(templates::compare_css));
  data.set("scripts", std::string(templates::canvases_js) + std::string(templates::plots_js) +
                          std::string(templates::plain_js) + std::string(templates::compare_js));
  std::string page = parse(templates::compare_mustache).render(data);
  const std::string place = "<!-- data -->";
  return page.replace(page.rfind(place), place.size(), page_elements(comparison, order));
}

}  // namespace parity::reports
