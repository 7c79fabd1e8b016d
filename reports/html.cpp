// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/html.hpp"

#include <algorithm>
#include <map>

#include "reports/case_section.hpp"
#include "reports/overview.hpp"
#include "reports/overview_section.hpp"
#include "reports/page_data.hpp"
#include "reports/page_parts.hpp"
#include "reports/slugs.hpp"
#include "reports/templates.hpp"
#include "reports/text.hpp"
#include "reports/verdicts.hpp"

namespace parity::reports {
namespace {

/// How often each verdict was found, and how often it was not what the case claims; each check is counted
/// once.
Data verdict_counts(const Results& results) {
  std::map<std::string, size_t> numbers, failed;
  for (const Case& item : results.cases)
    for (const Check& check : item.checks) {
      ++numbers[check.finding()];
      failed[check.finding()] += check.passed ? 0 : 1;
    }
  Data rows = list();
  const auto add = [&](const std::string& name, std::string_view meaning) {
    if (numbers[name] == 0)
      return;
    Data row = pair("meaning", std::string(meaning), "number", grouped(numbers[name]));
    const size_t fails = failed[name];
    row.set("has_failed", fails > 0);
    row.set("failed", grouped(fails) + (fails == 1 ? " fails" : " fail"));
    set_verdict(row, name);
    rows.push_back(row);
  };
  for (const VerdictLook& look : verdict_looks)
    add(std::string(look.name), look.meaning);
  add("trained", "the loss of an arm fell by more than its noise");
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
  std::string text = grouped(results.checks()) + (results.checks() == 1 ? " check, " : " checks, ") +
                     std::to_string(failed) + " failed";
  if (results.runs > 0)
    text += "; " + count(static_cast<size_t>(results.runs), "run") + ", " +
            std::to_string(results.runs_cached) + " from the cache";
  return results.seconds > 0 ? text + "; " + duration(results.seconds) : text;
}

}  // namespace

std::string html(const Results& results) {
  const auto fails = [](const Case& item) { return item.failed(); };
  if (!std::ranges::is_partitioned(results.cases, fails)) {
    Results sorted = results;
    std::ranges::stable_partition(sorted.cases, fails);
    return html(sorted);
  }
  CaseSection section;
  Slugs names("case-");
  std::vector<std::string> slugs;
  std::vector<CheckDetails> details(results.cases.size());
  std::string sections;
  for (size_t i = 0; i < results.cases.size(); ++i) {
    slugs.push_back(names.make(results.cases[i].name));
    sections += section.render(results.cases[i], i, slugs[i], details[i]);
  }
  Data page;
  set_state(page, results.passed());
  page.set("outcome", outcome(results));
  page.set("counts", counts(results));
  page.set("verdicts", verdict_counts(results));
  page.set("legend", verdict_legend());
  page.set("facts", suite_facts(results));
  set_overview(page, results, slugs);
  page.set("case_sections", sections);
  page.set("producer", results.version.empty() ? "" : "Written by parity " + one_line(results.version) + ".");
  page.set("data", page_data(results, details));
  page.set("css", std::string(templates::report_css));
  page.set("plots_js", std::string(templates::plots_js));
  page.set("heat_js", std::string(templates::heat_js));
  page.set("masks_js", std::string(templates::masks_js));
  page.set("report_js", std::string(templates::report_js));
  page.set("plot_library", std::string(plot_library_name));
  return parse(templates::page_mustache).render(page);
}

}  // namespace parity::reports
