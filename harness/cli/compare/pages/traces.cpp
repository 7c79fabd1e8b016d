// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/compare/pages/traces.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "harness/base/enum_names.hpp"
#include "harness/cli/compare/pages/parts.hpp"
#include "harness/cli/compare/print_traces.hpp"
#include "harness/cli/compare/sides.hpp"
#include "harness/compare/text/wording.hpp"
#include "harness/suite/cases/flat_config.hpp"

namespace parity::cli {
namespace {

using compare::ChannelDifference;
using compare::TensorDifference;
using compare::TraceDifference;
using reports::ComparedCell;

/// Returns a value as text; "-" for a key that a trace lacks.
std::string value_text(const suite::FlatConfig& config, const std::string& key) {
  const auto found = config.find(key);
  if (found == config.end())
    return "-";
  return found->second.is_string() ? found->second.get<std::string>() : json_text(found->second);
}

/// Returns a row for each key of which the traces have different values.
std::vector<std::vector<ComparedCell>> differing_rows(const std::vector<suite::FlatConfig>& configs) {
  std::set<std::string> keys;
  for (const suite::FlatConfig& config : configs)
    for (const auto& entry : config)
      keys.insert(entry.first);
  std::vector<std::vector<ComparedCell>> rows;
  for (const std::string& key : keys) {
    std::vector<ComparedCell> row = {{key, -1, true}};
    for (const suite::FlatConfig& config : configs)
      row.push_back({value_text(config, key)});
    if (std::ranges::any_of(row.begin() + 1, row.end(),
                            [&](const ComparedCell& cell) { return cell.text != row[1].text; }))
      rows.push_back(std::move(row));
  }
  return rows;
}

/// Returns the settings of which the traces have different values: of the config, or of the provenance.
reports::ComparedTable settings_of(const std::vector<trace::Trace>& traces,
                                   const std::vector<std::string>& labels, const std::string& title,
                                   const Json& (trace::Trace::*part)() const) {
  reports::ComparedTable table{title, {"key"}, {}, ""};
  table.heads.insert(table.heads.end(), labels.begin(), labels.end());
  std::vector<suite::FlatConfig> configs;
  for (const trace::Trace& trace : traces)
    configs.push_back(suite::flatten((trace.*part)()));
  table.rows = differing_rows(configs);
  if (std::ranges::all_of(configs, &suite::FlatConfig::empty))
    table.note = "No trace has any.";
  else if (table.rows.empty())
    table.note = "All are equal.";
  return table;
}

reports::ComparedSide trace_side(const trace::Trace& trace, const std::string& name,
                                 const std::string& label) {
  const std::vector<int64_t>& steps = trace.steps();
  const std::string range =
      steps.empty() ? "none" : fmt::format("{}, from {} to {}", steps.size(), steps.front(), steps.back());
  const std::string end = trace.failure() ? "failed" : trace.complete() ? "complete" : "did not end";
  return {label, facts_of_file(name, trace.schema(),
                               {{"run", end},
                                {"steps", range},
                                {"ranks", std::to_string(trace.ranks())},
                                {"channels", std::to_string(trace.channels().size())},
                                {"sketches", std::to_string(trace.sketches().size())},
                                {"producer", value_text(suite::flatten(trace.provenance()), "producer")}},
                               trace.path())};
}

reports::ComparedRow trace_row(const ChannelDifference& row, const std::string& side,
                               const std::string& agreeing) {
  const compare::SeriesDifference& d = row.difference;
  if (!row.mismatch.empty())
    return {side, false, row.mismatch, {"-", "-", "-", "-"}};
  return {side,
          row.identical(),
          row.identical() ? agreeing : "different",
          {d.first ? std::to_string(row.steps.at(*d.first)) : "-",
           d.integral ? "-" : compare::ulp_text(d.max_ulp), compare::size_text(d.relative_l2),
           compare::size_text(d.needed_rtol)}};
}

std::string trace_words(const ChannelDifference& row, const std::string& subject) {
  const size_t i = row.difference.worst;
  return fmt::format("{}Largest gap at step {}: {} against {}.", subject.empty() ? "" : subject + ": ",
                     row.steps.at(i), row.expected.text(i, row.difference.float32_valued),
                     row.actual.text(i, row.difference.float32_valued));
}

reports::ComparedChannel trace_channel(const std::string& name, const std::vector<std::string>& labels,
                                       const std::vector<TraceDifference>& pairs) {
  reports::ComparedChannel channel;
  channel.name = name;
  std::vector<OverlayPart> parts;
  for (size_t i = 0; i < pairs.size(); ++i) {
    const auto row = std::ranges::find(pairs[i].channels, name, &ChannelDifference::name);
    if (row == pairs[i].channels.end())
      continue;
    channel.rows.push_back(trace_row(*row, labels[i + 1], agreeing_word(pairs[i])));
    if (!row->mismatch.empty())
      continue;
    if (!row->identical())
      channel.words.push_back(trace_words(*row, pairs.size() > 1 ? labels[i + 1] : ""));
    parts.push_back({labels[i + 1], row->expected, row->actual});
  }
  channel.curve = overlay(name, labels.front(), parts);
  return channel;
}

std::vector<ComparedCell> tensor_row(const TensorDifference& row) {
  const compare::TensorGap& gap = row.gap;
  const bool measured = row.mismatch.empty() && gap.mismatch.empty();
  const std::string verdict = !row.mismatch.empty()   ? row.mismatch
                              : !gap.mismatch.empty() ? gap.mismatch
                                                      : gap.difference_word();
  return {{std::to_string(row.key.step)},
          {std::string(name_of(row.key.phase))},
          {row.key.name, -1, true},
          {verdict},
          {measured && gap.max_ulp ? compare::ulp_text(*gap.max_ulp) : "-"},
          {measured && !gap.residues ? compare::size_text(gap.relative_l2) : "-"},
          {gap.worst.empty() ? "-" : fmt::format("[{}]", fmt::join(gap.worst, ", "))}};
}

reports::ComparedTable trace_tensors(const TraceDifference& pair, const std::string& title) {
  reports::ComparedTable table{
      title, {"step", "phase", "tensor", "verdict", "max ULP", "relative L2", "worst at"}, {}, ""};
  size_t count = 0;
  for (const TensorDifference& row : pair.tensors)
    if (!row.identical() && ++count <= most_page_rows)
      table.rows.push_back(tensor_row(row));
  table.note = cut_note(count, "tensors that differ");
  if (count == 0)
    table.note = pair.tensors.empty() ? "No tensor was compared."
                                      : fmt::format("All {} tensors agree.", pair.tensors.size());
  return table;
}

reports::ComparedTable trace_ranks(const TraceDifference& pair, const std::string& title) {
  reports::ComparedTable table{title, {"difference"}, {}, ""};
  const std::vector<compare::RankDifference>& rows = pair.ranks.differences;
  for (size_t i = 0; i < std::min(rows.size(), most_page_rows); ++i)
    table.rows.push_back({{rows[i].text()}});
  table.note = cut_note(rows.size(), "of single ranks");
  return table;
}

}  // namespace

reports::Comparison comparison_of_traces(const std::vector<std::string>& names,
                                         const std::vector<trace::Trace>& traces,
                                         const std::vector<TraceDifference>& pairs) {
  reports::Comparison comparison;
  const std::vector<std::string> labels = unique_labels(names);
  for (size_t i = 0; i < traces.size(); ++i)
    comparison.sides.push_back(trace_side(traces[i], names[i], labels[i]));
  comparison.heads = {"first step", "max ULP", "relative L2", "passes at rtol"};
  std::vector<std::string> channels;
  for (const TraceDifference& pair : pairs)
    for (const ChannelDifference& row : pair.channels)
      if (std::ranges::find(channels, row.name) == channels.end())
        channels.push_back(row.name);
  for (const std::string& name : channels)
    comparison.channels.push_back(trace_channel(name, labels, pairs));
  comparison.tables.push_back(settings_of(traces, labels, "Config keys that differ", &trace::Trace::config));
  comparison.tables.push_back(
      settings_of(traces, labels, "Provenance that differs", &trace::Trace::provenance));
  for (size_t i = 0; i < pairs.size(); ++i) {
    const std::string of = pairs.size() > 1 ? " of " + labels[i + 1] : "";
    comparison.tables.push_back(trace_tensors(pairs[i], "Tensors" + of));
    if (!pairs[i].ranks.differences.empty())
      comparison.tables.push_back(trace_ranks(pairs[i], "Single ranks" + of));
    for (const std::string& note : {pairs[i].mismatch, pairs[i].unfinished})
      if (!note.empty())
        comparison.notes.push_back(pairs.size() > 1 ? labels[i + 1] + ": " + note : note);
  }
  return comparison;
}

}  // namespace parity::cli
