// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/compare/plots.hpp"

#include <fmt/format.h>

#include "harness/base/files/file.hpp"
#include "reports/model/slugs.hpp"
#include "reports/model/text.hpp"
#include "reports/plots/gnuplot.hpp"
#include "reports/plots/script.hpp"
#include "reports/text/markdown.hpp"

namespace parity::reports {
namespace fs = std::filesystem;
namespace {

/// Returns "different; first step 3; max ULP 5" of the first side that differs.
std::string plot_words(const Comparison& comparison, const ComparedChannel& channel) {
  if (channel.agrees())
    return channel.verdict();
  const ComparedRow& row = *std::ranges::find(channel.rows, false, &ComparedRow::agrees);
  std::string text = comparison.sides.size() > 2 ? row.side + ": " + row.verdict : row.verdict;
  for (size_t i = 0; i < row.cells.size(); ++i)
    text += fmt::format("; {} {}", comparison.heads.at(i), row.cells[i]);
  return text;
}

PlotTexts texts_of(const Comparison& comparison, const ComparedChannel& channel) {
  PlotTexts texts;
  texts.title = channel.name + (comparison.title.empty() ? "" : ": " + comparison.title);
  for (const ComparedSide& side : comparison.sides)
    texts.arms.push_back(side.label);
  texts.reference = comparison.sides.front().label;
  texts.words = plot_words(comparison, channel);
  texts.band = comparison.band;
  return texts;
}

std::string table_of(const Comparison& comparison, const std::vector<size_t>& order) {
  const bool many = comparison.sides.size() > 2;
  std::string text = many ? "| channel | side | verdict |" : "| channel | verdict |";
  std::string line = many ? "|---|---|---|" : "|---|---|";
  for (const std::string& head : comparison.heads) {
    text += " " + markdown::plain(head, 40) + " |";
    line += "---:|";
  }
  text += "\n" + line + "\n";
  for (const size_t place : order)
    for (const ComparedRow& row : comparison.channels[place].rows) {
      text += "| " + markdown::code(shorten(comparison.channels[place].name, 60)) + " |";
      if (many)
        text += " " + markdown::code(shorten(row.side, 60)) + " |";
      text += " " + markdown::plain(row.verdict, 40) + " |";
      for (const std::string& cell : row.cells)
        text += " " + markdown::plain(cell, 40) + " |";
      text += "\n";
    }
  return text + "\n";
}

std::string comparison_heading(const Comparison& comparison) {
  std::string text = comparison.title.empty() ? "" : "### " + markdown::plain(comparison.title, 200) + "\n\n";
  text +=
      fmt::format("{} {}\n\n", comparison.agrees ? "✅" : "❌", markdown::plain(comparison.verdict, 1000));
  for (const ComparedSide& side : comparison.sides)
    text += fmt::format("- {}: {}\n", &side == comparison.sides.data() ? "reference" : "compared with it",
                        markdown::code(shorten(side.label, 200)));
  return text + "\n";
}

}  // namespace

size_t write_comparison_plots(const Comparison& comparison, const fs::path& folder) {
  const std::vector<size_t> order = curve_order(comparison.channels);
  const fs::path script = folder / "comparison.gnuplot";
  NewFile commands(script), page(folder / "plots.md");
  page.write(comparison_heading(comparison));
  if (!order.empty())
    page.write(table_of(comparison, order));
  Slugs names("");
  size_t drawn = 0;
  for (const size_t place : order) {
    const ComparedChannel& channel = comparison.channels[place];
    if (channel.curve.curve.steps.empty())
      continue;
    if (drawn == most_drawn) {
      page.write(fmt::format("\nOnly the first {} channels are drawn.\n", most_drawn));
      break;
    }
    ++drawn;
    const std::string name = names.make(shorten(channel.name, 60));
    commands.write(plot_script(texts_of(comparison, channel), channel.curve.curve, folder / name));
    page.write(fmt::format("![{}]({}.png)\n", markdown::plain(channel.name, 120), name));
  }
  if (comparison.channels.empty())
    page.write("There are no curves: checkpoints have no channels.\n");
  for (const std::string& note : comparison.notes)
    page.write("- " + markdown::plain(note, 600) + "\n");
  commands.finish();
  if (drawn > 0)
    run_gnuplot({script}, folder);
  else
    fs::remove(script);
  page.finish();
  return drawn;
}

}  // namespace parity::reports
