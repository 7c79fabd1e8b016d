// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/plots/script.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "reports/model/checks/label.hpp"
#include "reports/model/curves/gap_label.hpp"
#include "reports/model/curves/gap_scale.hpp"
#include "reports/model/text.hpp"

namespace parity::reports {
namespace {

/// As on the page: arms that coincide stay visible, since the first is a broad pale line.
struct Style {
  const char* colour;
  const char* line;
  int point;
};
constexpr std::array<Style, 7> styles = {{
    {"#7fb8d8", "lw 6 dt solid", 7},
    {"#c04f00", "lw 2 dt (12,6)", 13},
    {"#007a5a", "lw 2 dt (3,5)", 5},
    {"#a8508a", "lw 2 dt (12,5,3,5)", 9},
    {"#6b5bb5", "lw 2 dt (20,6)", 1},
    {"#8a6d00", "lw 2 dt (20,5,3,5)", 11},
    {"#3d4752", "lw 1.5 dt solid", 2},
}};

/// Returns how a curve is drawn: with a point for each step if there are few.
const char* drawn_with(const Curve& curve) {
  constexpr size_t most = 80;
  return curve.steps.size() <= most ? "linespoints" : "lines";
}

/// Beyond the table, each dash is reused with the next colours; the broad line is not.
Style style_of(const PlotTexts& texts, const std::string& arm) {
  const auto found = std::ranges::find(texts.arms, arm);
  const auto index = static_cast<size_t>(found - texts.arms.begin());
  if (index < styles.size())
    return styles[index];
  const size_t others = styles.size() - 1, round = 1 + (index - styles.size()) / others;
  Style style = styles[1 + (index - styles.size()) % others];
  style.colour = styles[1 + (index - styles.size() + round) % others].colour;
  return style;
}

/// Returns a string that gnuplot takes literally.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char byte : text)
    result += byte == '\'' ? "''" : std::string(1, byte);
  return result + "'";
}

std::string cell(const Value& value) {
  return value && std::isfinite(*value) ? fmt::format("{}", *value) : "?";
}

/// Returns a block of rows "step value ..."; "?" is a missing point.
std::string block(const char* name, const std::vector<int64_t>& steps,
                  const std::vector<std::vector<Value>>& columns) {
  std::string text = fmt::format("${} << EOD\n", name);
  for (size_t i = 0; i < steps.size(); ++i) {
    text += std::to_string(steps[i]);
    for (const std::vector<Value>& column : columns)
      text += " " + cell(column[i]);
    text += "\n";
  }
  return text + "EOD\n";
}

bool any_finite(const std::vector<std::vector<Value>>& columns) {
  return std::ranges::any_of(columns, [](const std::vector<Value>& column) {
    return std::ranges::any_of(column, [](const Value& value) { return value && std::isfinite(*value); });
  });
}

std::string joined(const std::vector<std::string>& parts) {
  return fmt::format("plot {}\n", fmt::join(parts, ", \\\n  "));
}

std::string values_plot(const PlotTexts& texts, const Curve& curve) {
  std::vector<std::vector<Value>> columns;
  std::vector<std::string> parts;
  const auto add = [&](const std::vector<Value>& values, const std::string& look) {
    columns.push_back(values);
    parts.push_back(fmt::format("$values using 1:{} with {}", columns.size() + 1, look));
  };
  for (const Series& series : curve.series) {
    const Style style = style_of(texts, series.arm);
    add(series.values, fmt::format("{} lc rgb '{}' {} pt {} ps 0.6 title {}", drawn_with(curve), style.colour,
                                   style.line, style.point, quoted(shorten(series.arm, 40))));
  }
  for (size_t i = 0; i < curve.golden.size(); ++i)
    add(curve.golden[i].values,
        fmt::format("points pt 1 ps 1.1 lw 1.5 lc rgb '#59636e' {}", i == 0 ? "title 'golden'" : "notitle"));
  return block("values", curve.steps, columns) +
         (any_finite(columns) ? "set autoscale y\n" : "set yrange [0:1]\n") + joined(parts);
}

/// The lower panel, as columns of one block and the parts of one plot command.
class GapPlot {
 public:
  GapPlot(const PlotTexts& texts, const Curve& curve)
      : texts_(texts), curve_(curve), scale_(gap_scale(curve)) {}

  std::string script() {
    if (!has_floors(curve_) && std::ranges::any_of(curve_.floor, has_place))
      add_band(curve_.floor, shorten(texts_.band, 60));
    for (const Bound& bound : curve_.bounds)
      if (std::ranges::any_of(bound.floor, has_place))
        add_band(bound.floor, "measured floor");
    for (const Bound& bound : curve_.bounds)
      if (std::ranges::any_of(bound.limit, has_place))
        add_limit(bound);
    for (const Series& gap : curve_.gap)
      add_gap(gap.arm, gap.values);
    for (const Bound& bound : curve_.bounds)
      if (!bound.to_reference)
        add_gap(bound.arms.back(), bound.gap);
    std::string ticks;
    for (const auto& [label, position] : scale_.ticks)
      ticks += fmt::format("{}'{}' {}", ticks.empty() ? "" : ", ", label, position);
    return block("gaps", curve_.steps, columns_) +
           fmt::format("set logscale y\nset yrange [{}:{}]\nset ytics ({})\n", scale_.bottom, scale_.top,
                       ticks) +
           joined(parts_);
  }

 private:
  /// Returns each title once: two bands of one kind are one entry of the legend.
  std::string title(const std::string& words) {
    return titles_.insert(words).second ? "title " + quoted(words) : "notitle";
  }

  size_t add_column(std::vector<Value> values) {
    columns_.push_back(std::move(values));
    return columns_.size() + 1;  // the first column has the steps
  }

  void add_band(const std::vector<Value>& values, const std::string& words) {
    std::vector<Value> top;
    for (const Value& value : values)
      top.emplace_back(has_place(value) ? *value : scale_.bottom);
    const size_t column = add_column(std::move(top));
    parts_.push_back(fmt::format("$gaps using 1:({}):{} with filledcurves fc rgb '#e4e8ec' {}", scale_.bottom,
                                 column, title(words)));
    parts_.push_back(
        fmt::format("$gaps using 1:{} with lines lc rgb '#59636e' lw 1 dt (3,4) notitle", column));
  }

  void add_limit(const Bound& bound) {
    std::vector<Value> line;
    for (const Value& value : bound.limit)
      line.push_back(has_place(value) ? value : std::nullopt);
    parts_.push_back(fmt::format("$gaps using 1:{} with lines lc rgb '{}' lw 1.5 dt (8,3) {}",
                                 add_column(std::move(line)), style_of(texts_, bound.arms.back()).colour,
                                 title("bound: " + shorten(bound.words, 40))));
  }

  void add_gap(const std::string& arm, const std::vector<Value>& values) {
    const Style style = style_of(texts_, arm);
    std::vector<Value> placed;
    for (const Value& value : values)
      placed.push_back(value ? Value(scale_.place(*value)) : std::nullopt);
    parts_.push_back(fmt::format("$gaps using 1:{} with {} lc rgb '{}' {} pt {} ps 0.6 notitle",
                                 add_column(std::move(placed)), drawn_with(curve_), style.colour, style.line,
                                 style.point));
  }

  const PlotTexts& texts_;
  const Curve& curve_;
  GapScale scale_;
  std::vector<std::vector<Value>> columns_;
  std::vector<std::string> parts_;
  std::set<std::string> titles_;
};

/// Pixels of the picture and of its parts, from the top: title, legend, values, gap. Many arms make it
/// taller.
struct Layout {
  int width = 900, height = 560, gap = 0;

  explicit Layout(const Curve& curve) : gap(curve.gap.empty() ? 0 : 205) {
    const size_t entries = curve.series.size() + (curve.golden.empty() ? 0 : 1);
    if (entries > 4)
      height += 20 * static_cast<int>((entries + 1) / 2);
  }
  /// Returns a share of the height, counted from below as in gnuplot.
  double from_top(int pixels) const { return 1 - static_cast<double>(pixels) / height; }
  double share(int pixels) const { return static_cast<double>(pixels) / height; }
};

std::string title_of(const PlotTexts& texts, const Layout& layout) {
  std::string text = fmt::format("set label 1 {} at screen 0.015,{:.4f} left font ',15'\n",
                                 quoted(shorten(texts.title, 102)), layout.from_top(20));
  if (!texts.words.empty())
    text += fmt::format("set label 2 {} at screen 0.015,{:.4f} left textcolor rgb '#59636e'\n",
                        quoted(shorten(texts.words, 110)), layout.from_top(47));
  return text;
}

std::string panels(const PlotTexts& texts, const Curve& curve, const Layout& layout) {
  const auto first = static_cast<double>(curve.steps.front());
  const auto last = static_cast<double>(curve.steps.back());
  const double margin = 0.03 * std::max(1.0, last - first);
  const bool gap = layout.gap > 0;
  std::string text = "reset\nset encoding utf8\nset datafile missing '?'\nset multiplot\n";
  text += "set border 3 lc rgb '#98a3af'\nset tics nomirror textcolor rgb '#59636e'\n";
  text += "set grid lc rgb '#e9ecef' lt 1\nset lmargin at screen 0.095\nset rmargin at screen 0.98\n";
  text += fmt::format("set xrange [{}:{}]\n", first - margin, last + margin);
  if (last - first <= 12)
    text += "set xtics 1\n";
  text += title_of(texts, layout);
  text +=
      fmt::format("set size 1,{:.4f}\nset origin 0,{:.4f}\nset key outside top right horizontal samplen 3\n",
                  layout.from_top(60) - layout.share(layout.gap), layout.share(layout.gap));
  if (!gap)
    text += "set xlabel 'step'\n";
  text += values_plot(texts, curve);
  if (gap) {
    text += fmt::format("unset label\nset size 1,{:.4f}\nset origin 0,0\nset xlabel 'step'\n",
                        layout.share(layout.gap));
    text += fmt::format("set label 3 {} at graph 0,1.1 left textcolor rgb '#59636e'\n",
                        quoted("gap to " + shorten(texts.reference, 40)));
    text += GapPlot(texts, curve).script();
  }
  return text + "unset multiplot\nunset output\n";
}

}  // namespace

PlotTexts plot_texts(const Case& item, const Curve& curve) {
  PlotTexts texts;
  texts.title = shorten(item.name, 60) + ": " + shorten(curve.channel, 40);
  for (const Arm& arm : item.arms)
    texts.arms.push_back(arm.name);
  texts.reference = item.reference;
  texts.words = fmt::format("{}", fmt::join(gap_labels(curve), "; "));
  return texts;
}

std::string plot_script(const PlotTexts& texts, const Curve& curve, const std::filesystem::path& file) {
  const Layout layout(curve);
  const std::string body = panels(texts, curve, layout);
  return fmt::format(
             "set terminal svg size {},{} noenhanced font 'Helvetica,Arial,sans-serif,13' background "
             "'#ffffff'\n",
             layout.width, layout.height) +
         "set output " + quoted(file.string() + ".svg") + "\n" + body +
         fmt::format(
             "set terminal pngcairo size {},{} noenhanced font 'sans,13' fontscale 1.33 linewidth 1.33 "
             "pointscale 1.33 background '#ffffff'\n",
             layout.width * 4 / 3, layout.height * 4 / 3) +
         "set output " + quoted(file.string() + ".png") + "\n" + body;
}

}  // namespace parity::reports
