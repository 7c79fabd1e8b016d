// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/compare/page.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include <fmt/format.h>

#include "reports/html/page.hpp"
#include "reports/html/page_data.hpp"
#include "reports/html/page_parts.hpp"
#include "reports/html/templates.hpp"

namespace parity::reports {
namespace {

/// Appends numbers as JSON: all digits, or `digits` of a thinned curve.
void append_numbers(std::string& json, const std::vector<double>& values, int digits) {
  json += '[';
  for (const double value : values) {
    if (json.back() != '[')
      json += ',';
    if (std::isnan(value))
      json += "\"nan\"";
    else if (std::isinf(value))
      json += value > 0 ? "\"inf\"" : "\"-inf\"";
    else if (digits > 0)
      fmt::format_to(std::back_inserter(json), "{:.{}g}", value, digits);
    else
      fmt::format_to(std::back_inserter(json), "{}", value);
  }
  json += ']';
}

/// Returns the curve in the form that page_data.hpp gives curves in. It names the element of its steps.
std::string curve_json(const PairCurve& curve, size_t steps_number) {
  const bool thinned = curve.merged > 1;
  std::string json = fmt::format("{{\"steps\":{},\"series\":[[0,", steps_number);
  append_numbers(json, curve.first, thinned ? 7 : 0);
  json += "],[1,";
  append_numbers(json, curve.second, thinned ? 7 : 0);
  json += "]],\"gap\":[[1,";
  append_numbers(json, curve.gap, thinned ? 4 : 0);
  return json + "]],\"golden\":[],\"floor\":[],\"bounds\":[]}";
}

/// Returns the data of all curves. Channels with the same steps share one list of them.
std::string page_elements(const Comparison& comparison, const std::vector<size_t>& order) {
  const Json names = {shorten(one_line(comparison.first), 60), shorten(one_line(comparison.second), 60)};
  std::string text = data_element("sides", script_json({{"reference", 0}, {"arms", names}}));
  std::vector<const std::vector<int64_t>*> lists;
  for (size_t number = 0; number < order.size(); ++number) {
    const PairCurve& curve = comparison.channels[order[number]].curve;
    const auto known = std::ranges::find_if(lists, [&](const auto* list) { return *list == curve.steps; });
    const auto place = static_cast<size_t>(known - lists.begin());
    if (known == lists.end()) {
      lists.push_back(&curve.steps);
      text += data_element("steps-" + std::to_string(place), json_text(Json(curve.steps)));
    }
    text += data_element("data-" + std::to_string(number), curve_json(curve, place));
  }
  return text;
}

std::string thinning_text(const PairCurve& curve) {
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
  row.set("has_curve", !channel.curve.steps.empty());
  row.set("thinned", optional(thinning_text(channel.curve)));
  set_verdict(row, channel.agrees ? "identical" : "different");
  row.set("verdict_word", channel.verdict);
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
  for (const size_t place : order) {
    const ComparedChannel& channel = comparison.channels[place];
    Data row = pair("name", breakable(channel.name), "verdict_word", channel.verdict), cells = list();
    set_verdict(row, channel.agrees ? "identical" : "different");
    for (size_t i = 0; i < channel.cells.size(); ++i)
      cells.push_back(pair("cell", text_of(channel.cells[i]), "head", comparison.heads.at(i)));
    row.set("cells", cells);
    rows.push_back(row);
  }
  return rows;
}

Data fact_rows(const Comparison& comparison) {
  Data rows = list();
  for (size_t i = 0; i < std::min(comparison.first_facts.size(), comparison.second_facts.size()); ++i) {
    Data row =
        pair("key", comparison.first_facts[i].first, "first", text_of(comparison.first_facts[i].second));
    row.set("second", text_of(comparison.second_facts[i].second));
    rows.push_back(row);
  }
  return rows;
}

Data column(const char* key, const std::vector<std::string>& texts) {
  Data rows = list();
  for (const std::string& text : texts)
    rows.push_back(Data{key, text_of(text)});
  return rows;
}

}  // namespace

std::vector<size_t> curve_order(const std::vector<ComparedChannel>& channels) {
  std::vector<size_t> order(channels.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto rank = [&](size_t place) {
    return channels[place].name == "loss" ? 0 : channels[place].agrees ? 2 : 1;
  };
  std::ranges::stable_sort(order, {}, rank);
  return order;
}

std::string comparison_page(const Comparison& comparison) {
  const std::vector<size_t> order = curve_order(comparison.channels);
  Data data;
  data.set("title", optional(name_of(comparison.title)));
  data.set("page_title", name_of(comparison.title.empty() ? comparison.verdict : comparison.title));
  data.set("verdict", text_of(comparison.verdict));
  data.set("state", comparison.agrees ? "pass" : "fail");
  data.set("mark", comparison.agrees ? "=" : "≠");
  data.set("first", name_of(comparison.first));
  data.set("second", name_of(comparison.second));
  data.set("facts", fact_rows(comparison));
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
