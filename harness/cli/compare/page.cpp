// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/compare/page.hpp"

#include <fmt/format.h>

#include "harness/base/files/file.hpp"
#include "harness/compare/text/wording.hpp"
#include "harness/logs/compare/shape.hpp"
#include "harness/measure/tensor/content_hash.hpp"
#include "reports/compare/page.hpp"
#include "reports/html/plot_library.hpp"

namespace parity::cli {
namespace {

namespace fs = std::filesystem;
using Facts = std::vector<std::pair<std::string, std::string>>;

Facts facts_of(const ComparedSide& side) {
  const std::vector<int64_t> steps = side.log.steps();
  std::error_code error;
  const bool readable = fs::is_regular_file(side.file, error);
  return {
      {"name", side.log.file},
      {"kind", side.log.format},
      {"steps",
       steps.empty() ? "none" : fmt::format("{}, from {} to {}", steps.size(), steps.front(), steps.back())},
      {"channels", std::to_string(side.log.channels.size())},
      {"size", readable ? compare::count_text(fs::file_size(side.file), "byte") : "not known"},
      {"XXH3-128", readable ? measure::ContentHash::of_file(side.file) : "not known"}};
}

std::vector<double> widened_values(const compare::Series& series) {
  std::vector<double> values;
  for (size_t i = 0; i < series.size(); ++i)
    values.push_back(series.widened(i));
  return values;
}

std::vector<std::string> words_of(const logs::CurveDifference& row) {
  const std::optional<logs::Shape> shape = shape_of(row);
  if (!shape)
    return {};
  const size_t i = *row.difference.first;
  std::vector<std::string> words = {fmt::format("First at step {}: {} against {}; {}.", shape->step,
                                                row.expected.text(i), row.actual.text(i), shape->text())};
  if (!shape->looks.empty())
    words.push_back("Looks like: " + shape->looks + ".");
  return words;
}

reports::ComparedChannel channel_of(const logs::CurveDifference& row, bool strict) {
  const compare::SeriesDifference& d = row.difference;
  reports::ComparedChannel channel;
  channel.name = row.name;
  channel.agrees = d.identical();
  channel.verdict = !d.identical() ? "different" : strict ? "identical" : "equal";
  channel.cells = {std::to_string(d.count), d.first ? std::to_string(row.expected.steps.at(*d.first)) : "-",
                   compare::size_text(static_cast<double>(d.max_ulp)), compare::size_text(d.relative_l2)};
  channel.words = words_of(row);
  channel.curve =
      reports::pair_curve(row.expected.steps, widened_values(row.expected), widened_values(row.actual));
  return channel;
}

}  // namespace

void write_comparison(const ComparisonFile& file, const logs::LogDifference& difference,
                      const ComparedSide& first, const ComparedSide& second, const std::string& verdict,
                      bool agrees) {
  reports::Comparison comparison;
  comparison.title = file.title;
  comparison.verdict = verdict;
  comparison.agrees = agrees;
  comparison.first = first.log.file;
  comparison.second = second.log.file;
  comparison.first_facts = facts_of(first);
  comparison.second_facts = facts_of(second);
  comparison.heads = {"steps", "first step", "max ULP", "relative L2"};
  for (const logs::CurveDifference& row : difference.channels)
    comparison.channels.push_back(channel_of(row, difference.filter.policy.strict()));
  comparison.notes = difference.notes;
  write_file(file.path, comparison_page(comparison));
  reports::copy_plot_library(fs::absolute(file.path).parent_path());
}

}  // namespace parity::cli
