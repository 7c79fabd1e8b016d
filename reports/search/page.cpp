// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/search/page.hpp"

#include <algorithm>

#include "harness/results/json_members.hpp"
#include "reports/html/page_parts.hpp"
#include "reports/html/templates.hpp"
#include "reports/model/curves/gap_label.hpp"
#include "reports/search/curve_chart.hpp"
#include "reports/search/depth_chart.hpp"
#include "reports/search/facts.hpp"
#include "reports/search/heat_chart.hpp"
#include "reports/search/record.hpp"

namespace parity::reports {
namespace {

std::string describe_effort(int64_t runs, int64_t cached, double seconds) {
  std::string text;
  if (runs > 0 || cached > 0)
    text = count(static_cast<size_t>(std::max<int64_t>(runs, 0)), "run") + " executed, " +
           std::to_string(cached) + " from the cache";
  if (seconds > 0)
    text += (text.empty() ? "" : ", ") + duration(seconds);
  return text;
}

Data table_data(const FactTable& table) {
  Data heads = list(), rows = list();
  for (const std::string& head : table.heads)
    heads.push_back(Data{"head", name_of(head)});
  for (const std::vector<std::string>& cells : table.rows) {
    Data row, others = list();
    for (size_t i = 1; i < cells.size(); ++i)
      others.push_back(pair("cell", text_of(cells[i]), "head", name_of(table.heads[i])));
    row.set("first", text_of(cells.front()));
    row.set("others", others);
    rows.push_back(row);
  }
  Data data = pair("title", table.title, "columns", std::to_string(table.heads.size()));
  data.set("folded", table.folded);
  data.set("heads", heads);
  data.set("rows", rows);
  return data;
}

std::string render(const FactTable& table) {
  return parse(templates::facts_mustache).render(table_data(table));
}

/// Returns a figure: a caption, and charts that are HTML already.
Data figure(const std::string& title, const std::string& caption, const std::string& charts) {
  Data data = pair("title", name_of(title), "caption", text_of(caption));
  data.set("charts", charts);
  data.set("has_sides", false);
  data.set("has_heat", false);
  return data;
}

Data curve_figure(const Curve& curve) {
  std::string label = curve.channel, gaps;
  std::ranges::replace(label, '_', ' ');
  for (const std::string& gap : gap_labels(curve))
    gaps += (gaps.empty() ? "" : "; ") + gap;
  Data data = figure(label, gaps, render(value_chart(curve)) + render(gap_chart(curve)));
  data.set("has_sides", true);
  data.set("expected", name_of(curve.series[0].arm));
  data.set("actual", name_of(curve.series[1].arm));
  return data;
}

Data heat_figure(const Stage& stage) {
  const std::vector<int64_t> worst =
      list(stage.details, "worst", [](const results::JsonNode& item) { return item.integer(); });
  Data data =
      figure("Where it differs", picture_sentence(*stage.picture), render(heat_chart(*stage.picture, worst)));
  if (const auto range = heat_range(*stage.picture)) {
    data.set("has_heat", true);
    data.set("smallest", brief(range->first));
    data.set("largest", brief(range->second));
  }
  return data;
}

Data figures(const Stage& stage) {
  Data all = list();
  for (const Curve& curve : stage.curves)
    all.push_back(curve_figure(curve));
  if (stage.depth)
    all.push_back(figure("Relative error over the depth of the update", depth_sentence(*stage.depth),
                         render(depth_chart(*stage.depth))));
  if (stage.picture)
    all.push_back(heat_figure(stage));
  return all;
}

std::string render(const Stage& stage, const Search& search) {
  Data data, facts = list();
  for (const auto& [key, value] : facts_of(stage, search))
    facts.push_back(pair("key", name_of(key), "value", text_of(value)));
  std::string tables;
  for (const FactTable& table : tables_of(stage, search))
    tables += render(table);
  data.set("name", name_of(stage.name));
  data.set("answer", text_of(stage.answer));
  data.set("figures", figures(stage));
  data.set("has_facts", facts.is_non_empty_list());
  data.set("facts", facts);
  data.set("tables", tables);
  data.set("command", optional(one_line(stage.command)));
  data.set("effort", optional(describe_effort(stage.runs, stage.cached, stage.seconds)));
  return parse(templates::stage_mustache).render(data);
}

}  // namespace

std::string search_page(const Json& record, const std::string& file) {
  const Search search = read_search(record);
  Data data, notes = list();
  for (const std::string& note : search.notes)
    notes.push_back(Data{"note", text_of(note)});
  std::string stages;
  for (const Stage& stage : search.stages)
    stages += render(stage, search);
  const FactTable culprits = culprits_of(search);
  data.set("subject", text_of(search.subject));
  data.set("sentence", text_of(search.sentence));
  data.set("state", search.differs ? "fail" : "pass");
  data.set("mark", search.differs ? "≠" : "=");
  data.set("effort", optional(describe_effort(search.runs, search.cached, search.seconds)));
  data.set("has_notes", !search.notes.empty());
  data.set("notes", notes);
  data.set("culprits", culprits.rows.empty() ? "" : render(culprits));
  data.set("has_culprits", !culprits.rows.empty());
  data.set("has_stages", !search.stages.empty());
  data.set("stages", stages);
  data.set("file", file);
  data.set("css", std::string(templates::report_css) + std::string(templates::search_css));
  data.set("copy_js", std::string(templates::copy_js));
  return parse(templates::search_mustache).render(data);
}

}  // namespace parity::reports
