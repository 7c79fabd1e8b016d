// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/html/page.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "harness/base/error.hpp"
#include "harness/base/text/utc.hpp"
#include "reports/html/glossary.hpp"
#include "reports/html/overview_section.hpp"
#include "reports/html/page_parts.hpp"
#include "reports/html/templates.hpp"
#include "reports/model/case_times.hpp"
#include "reports/model/slugs.hpp"
#include "reports/model/suite/outcome.hpp"
#include "reports/model/suite/overview.hpp"
#include "reports/model/text.hpp"
#include "reports/model/verdicts.hpp"

namespace parity::reports {
namespace {

const std::array page_scripts = {templates::canvases_js, templates::plots_js, templates::plain_js,
                                 templates::heat_js,     templates::masks_js, templates::copy_js,
                                 templates::tables_js,   templates::cases_js, templates::report_js};

/// Counts how often each verdict was found, and how often it contradicts the case's claim. Each check counts
/// once.
Data verdict_counts(const Results& results) {
  Data rows = list();
  const auto add = [&](const std::string& name, std::string_view meaning) {
    const auto found = results.found.find(name);
    if (found == results.found.end())
      return;
    Data row = pair("meaning", std::string(meaning), "number", grouped(found->second.number));
    const size_t fails = found->second.failed;
    row.set("has_failed", fails > 0);
    row.set("failed", grouped(fails) + (fails == 1 ? " fails" : " fail"));
    set_verdict(row, name);
    rows.push_back(row);
  };
  for (const VerdictLook& look : verdict_looks)
    add(std::string(look.name), look.meaning);
  add("trained",
      "the loss of an arm fell, or its reward rose, by more than its noise; the weights of a policy moved");
  add("lawful", "every law of training that the trace of an arm allows to ask holds");
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

/// Returns the origin of the suite's results, shown above the cases: commit, time, environment.
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
  add("time", times_label(results.times()));
  return rows;
}

std::string counts(const Results& results) {
  const size_t failed = results.checks_failed();
  std::string text = grouped(results.checks()) + (results.checks() == 1 ? " check, " : " checks, ") +
                     std::to_string(failed) + " failed";
  if (results.runs > 0)
    text += "; " + count(static_cast<size_t>(results.runs), "run") + ", " +
            std::to_string(results.runs_cached) + " from the cache";
  if (results.seconds > 0)
    text += "; " + duration(results.seconds);
  const std::string evidence = results.evidence().label();
  return evidence.empty() ? text : text + "; " + evidence;
}

/// Returns the parts of the page about the suite.
Data suite_data(const Results& results) {
  Data page;
  set_state(page, results.passed());
  page.set("outcome", outcome(results));
  page.set("counts", counts(results));
  page.set("verdicts", verdict_counts(results));
  page.set("legend", verdict_legend());
  page.set("facts", suite_facts(results));
  page.set("producer", results.version.empty() ? "" : "Written by parity " + one_line(results.version) + ".");
  Data words = list();
  for (const Word& row : glossary(templates::GLOSSARY_md))
    words.push_back(pair("word", row.word, "meaning", row.meaning));
  page.set("glossary", words);
  page.set("plot_library", std::string(plot_library_name));
  return page;
}

/// Returns the results with the lines of the cases in the order of the page.
Results in_page_order(Results results) {
  std::ranges::stable_partition(results.cases, [](const CaseLine& item) { return item.failed(); });
  return results;
}

}  // namespace

HtmlForm::HtmlForm(const Results& unordered, Sink out, const std::filesystem::path& folder)
    : out_(std::move(out)), template_(templates::page_mustache), data_(folder) {
  const Results results = in_page_order(unordered);
  Slugs names("case-");
  for (const CaseLine& item : results.cases)
    slugs_.push_back(names.make(item.name));
  page_ = suite_data(results);
  set_overview(page_, results, slugs_);
  const std::string surveyed = utc_of_file(folder / coverage_page_name);
  page_.set("has_coverage", !surveyed.empty());
  page_.set("coverage_time", surveyed);
  page_.set("coverage_page", std::string(coverage_page_name));
  write_until("{{{css}}}");
  out_(templates::report_css);
  const auto write_rows = [&](std::string_view tag, std::string_view row_template) {
    write_until(tag);
    Template row = parse(row_template);
    for (size_t i = 0; i < results.cases.size(); ++i)
      write(row.render(case_row(results.cases[i], i, slugs_[i])));
  };
  write_rows("{{{nav_rows}}}", templates::nav_row_mustache);
  write_rows("{{{case_rows}}}", templates::case_row_mustache);
  write_until("{{{case_sections}}}");
}

void HtmlForm::write(const std::string& text) {
  out_(paths_.in(text));
}

void HtmlForm::write_until(std::string_view tag) {
  const size_t end = template_.find(tag);
  require(end != std::string_view::npos, "page.mustache lacks " + std::string(tag));
  write(parse(template_.substr(0, end)).render(page_));
  template_.remove_prefix(end + tag.size());
}

void HtmlForm::add(const Case& item) {
  const size_t index = data_.size();
  CheckDetails details;
  write(section_.render(item, index, slugs_.at(index), details));
  data_.add(page_data(item, details, texts_));
}

void HtmlForm::end() {
  write_until("{{{data}}}");
  for (size_t i = 0; i < data_.size(); ++i)
    write(data_element("data-" + std::to_string(i), data_.piece(i)));
  std::string texts;
  for (const std::string* text : texts_.list())
    texts += (texts.empty() ? "" : ",") + script_json(*text);
  write(data_element("texts", "[" + texts + "]"));
  write_until("{{{scripts}}}");
  for (const std::string_view script : page_scripts)
    out_(std::string(script) + "\n");
  write(parse(template_).render(page_));
}

}  // namespace parity::reports
