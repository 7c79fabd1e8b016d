// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/html.hpp"

#include <algorithm>
#include <set>

#include "reports/case_section.hpp"
#include "reports/page_data.hpp"
#include "reports/page_parts.hpp"
#include "reports/templates.hpp"
#include "reports/text.hpp"
#include "reports/verdicts.hpp"

namespace parity::reports {
namespace {

/// Names made into ids of the page: letters, digits and dashes, each used once.
class Slugs {
 public:
  std::string make(const std::string& name) {
    std::string slug;
    for (const char byte : name.substr(0, 80)) {
      const bool keep = (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') || byte == '_';
      const bool upper = byte >= 'A' && byte <= 'Z';
      slug += keep ? byte : upper ? static_cast<char>(byte - 'A' + 'a') : '-';
    }
    slug = "case-" + slug;
    std::string unique = slug;
    for (int copy = 2; !used_.insert(unique).second; ++copy)
      unique = slug + "-" + std::to_string(copy);
    return unique;
  }

 private:
  std::set<std::string> used_;
};

Data overview_row(const Case& item, size_t index, const std::string& slug) {
  Data row;
  set_state(row, item.passed);
  set_verdict(row, item.verdict);
  row.set("index", std::to_string(index));
  row.set("slug", slug);
  row.set("short_name", shorten(item.name, 60));
  row.set("sentence", shorten(item.sentence, 300));
  row.set("held", std::to_string(item.checks.size() - item.checks_failed()));
  row.set("all", std::to_string(item.checks.size()));
  row.set("seconds", exact(Json(item.seconds)));
  row.set("duration", duration(item.seconds));
  return row;
}

Data verdict_counts(const Results& results) {
  Data rows = list();
  for (const VerdictLook& look : verdict_looks) {
    size_t number = 0;
    for (const Case& item : results.cases)
      number += static_cast<size_t>(std::ranges::count(item.checks, look.name, &Check::finding));
    if (number == 0)
      continue;
    Data row = pair("meaning", std::string(look.meaning), "number", std::to_string(number));
    set_verdict(row, std::string(look.name));
    rows.push_back(row);
  }
  return rows;
}

Data verdict_legend() {
  Data rows = list();
  for (const VerdictLook& look : verdict_looks) {
    Data row{"meaning", std::string(look.meaning)};
    set_verdict(row, std::string(look.name));
    rows.push_back(row);
  }
  return rows;
}

/// What the suite ran on, above the cases: commit, time, environment.
Data suite_facts(const Results& results) {
  Data rows = list();
  const auto add = [&](const std::string& key, const std::string& value) {
    if (!value.empty())
      rows.push_back(pair("key", key, "value", shorten(value, 200)));
  };
  add("commit", results.commit + (results.dirty && !results.commit.empty() ? " with local changes" : ""));
  add("started", results.started);
  for (const auto& [key, value] : results.environment.items()) {
    std::string label = one_line(key);
    std::ranges::replace(label, '_', ' ');
    if (!value.is_primitive())
      continue;
    add(label, exact(value));
  }
  std::string command;
  for (const std::string& word : results.command)
    command += (command.empty() ? "" : " ") + word;
  add("command", command);
  return rows;
}

std::string counts(const Results& results) {
  const size_t failed = results.checks_failed();
  std::string text = count(results.checks(), "check") + ", " + std::to_string(failed) + " failed; ";
  if (results.runs > 0)
    text += count(static_cast<size_t>(results.runs), "run") + ", " + std::to_string(results.runs_cached) +
            " from the cache; ";
  return text + duration(results.seconds);
}

}  // namespace

std::string html(const Results& results) {
  CaseSection section;
  Slugs slugs;
  Data rows = list();
  std::string sections;
  for (size_t i = 0; i < results.cases.size(); ++i) {
    const std::string slug = slugs.make(results.cases[i].name);
    rows.push_back(overview_row(results.cases[i], i, slug));
    sections += section.render(results.cases[i], i, slug);
  }
  Data page;
  set_state(page, results.passed());
  page.set("outcome", outcome(results));
  page.set("counts", counts(results));
  page.set("verdicts", verdict_counts(results));
  page.set("legend", verdict_legend());
  page.set("facts", suite_facts(results));
  page.set("cases", rows);
  page.set("case_sections", sections);
  page.set("producer", results.version.empty() ? "" : "Written by parity " + one_line(results.version) + ".");
  page.set("data", page_data(results));
  page.set("css", std::string(templates::report_css));
  page.set("plots_js", std::string(templates::plots_js));
  page.set("masks_js", std::string(templates::masks_js));
  page.set("report_js", std::string(templates::report_js));
  page.set("plot_library", std::string(plot_library_name));
  return parse(templates::page_mustache).render(page);
}

}  // namespace parity::reports
