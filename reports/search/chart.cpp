// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/search/chart.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "reports/html/page_parts.hpp"
#include "reports/html/templates.hpp"
#include "reports/model/checks/label.hpp"

namespace parity::reports {
namespace {

constexpr double view = 1000;  // of the drawing, both ways: see chart.mustache

std::string percent(double part) {
  return fmt::format("{:.4g}", 100 * part);
}

double place_on(const GapScale& scale, double value) {
  const double low = std::log10(scale.bottom), high = std::log10(scale.top);
  return (high - std::log10(scale.place(value))) / (high - low);
}

Data labels(const std::vector<Chart::Label>& all) {
  Data rows = list();
  for (const Chart::Label& label : all)
    rows.push_back(pair("text", name_of(label.text), "at", percent(label.at)));
  return rows;
}

Data grid(const std::vector<Chart::Label>& all) {
  std::string d;
  for (const Chart::Label& label : all)
    d += "M" + point(0, label.at) + "H" + fmt::format("{:g}", view);
  return d;
}

Data paths(const Chart& chart) {
  Data rows = list();
  for (const Chart::Path& path : chart.paths)
    rows.push_back(pair("look", path.look, "d", path.d));
  return rows;
}

Data bands(const Chart& chart) {
  Data rows = list();
  for (const Chart::Band& band : chart.bands) {
    Data row = pair("text", name_of(band.text), "from", percent(band.from));
    row.set("width", percent(band.width));
    rows.push_back(row);
  }
  return rows;
}

/// The text of a mark is on the side of its line that has more room.
Data marks(const Chart& chart) {
  Data rows = list();
  for (const Chart::Mark& mark : chart.marks) {
    Data row = pair("text", name_of(mark.text), "at", percent(mark.at));
    row.set("look", mark.look + (mark.at > 0.5 ? " before" : ""));
    rows.push_back(row);
  }
  return rows;
}

Data rings(const Chart& chart) {
  Data rows = list();
  for (const Chart::Ring& ring : chart.rings)
    rows.push_back(pair("left", percent(ring.left), "top", percent(ring.top)));
  return rows;
}

}  // namespace

std::string point(double left, double top) {
  return fmt::format("{:.4g} {:.4g}", view * left, view * top);
}

std::string line_through(const std::vector<double>& lefts, const std::vector<Value>& tops) {
  std::string d;
  bool pen_down = false;
  for (size_t i = 0; i < lefts.size(); ++i) {
    if (tops[i])
      d += (pen_down ? "L" : "M") + point(lefts[i], *tops[i]);
    pen_down = tops[i].has_value();
  }
  return d;
}

std::string dots_at(const std::vector<double>& lefts, const std::vector<Value>& tops) {
  std::string d;
  for (size_t i = 0; i < lefts.size(); ++i)
    if (tops[i])
      d += "M" + point(lefts[i], *tops[i]) + "h0";
  return d;
}

std::vector<double> round_numbers(double low, double high, int most, double least) {
  if (!(high > low) || !std::isfinite(high - low))
    return {low};
  const double wanted = std::max((high - low) / most, least);
  const double decade = std::pow(10.0, std::floor(std::log10(wanted)));
  double step = 10 * decade;
  for (const double factor : {5.0, 2.0, 1.0})
    if (factor * decade >= wanted * (1 - 1e-9))
      step = factor * decade;
  std::vector<double> numbers;
  const double first = std::ceil(low / step - 1e-9);
  for (int i = 0; i <= 2 * most && (first + i) * step <= high + 1e-9 * step; ++i)
    numbers.push_back((first + i) * step);
  return numbers;
}

std::vector<Value> places_of(const std::vector<Value>& values, const GapScale& scale) {
  std::vector<Value> places;
  for (const Value& value : values)
    places.push_back(value ? Value(place_on(scale, *value)) : Value());
  return places;
}

std::vector<Chart::Label> labels_of(const GapScale& scale) {
  std::vector<Chart::Label> labels;
  for (const auto& [text, value] : scale.ticks) {
    const double low = std::log10(scale.bottom), high = std::log10(scale.top);
    labels.push_back({text, (high - std::log10(value)) / (high - low)});
  }
  return labels;
}

std::string render(const Chart& chart) {
  Data data;
  data.set("look", chart.look);
  data.set("words", one_line(chart.words));
  data.set("x_title", chart.x_title);
  data.set("y_title", chart.y_title);
  data.set("x_ticks", labels(chart.x_ticks));
  data.set("y_ticks", labels(chart.y_ticks));
  data.set("grid", grid(chart.y_ticks));
  data.set("paths", paths(chart));
  data.set("bands", bands(chart));
  data.set("marks", marks(chart));
  data.set("rings", rings(chart));
  return parse(templates::chart_mustache).render(data);
}

}  // namespace parity::reports
