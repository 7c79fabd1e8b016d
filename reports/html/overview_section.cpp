// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/html/overview_section.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "reports/html/check_rows.hpp"
#include "reports/html/curve_picture.hpp"
#include "reports/model/case_times.hpp"
#include "reports/model/checks/label.hpp"
#include "reports/model/curves/shown.hpp"
#include "reports/model/suite/outcome.hpp"
#include "reports/model/suite/overview.hpp"

namespace parity::reports {
namespace {

constexpr size_t most_failures = 12;
constexpr size_t most_changes = 8;
constexpr size_t most_others = 6;
constexpr size_t most_slow = 5;
constexpr size_t longest_sentence = 700;
constexpr size_t longest_case = 60;

Data finding_row(const Finding& finding, const std::string& slug) {
  Data row;
  set_verdict(row, finding.check->outcome());
  row.set("target", is_quiet(*finding.check) ? slug : check_id(slug, finding.check_index));
  row.set("case", breakable(finding.item->name, longest_case));
  row.set("quantity", shorten(finding.check->quantity, 80));
  row.set("sides", shorten(sides_label(*finding.check), 120));
  row.set("sentence", shorten(finding.check->sentence, longest_sentence));
  return row;
}

/// The list of what fails. Failures of one verdict and one sentence share a row, which names the cases of the
/// others.
class FailureRows {
 public:
  /// \param item  name of the case
  void add(const std::string& verdict, const std::string& sentence, const std::string& item, Data row) {
    const auto [known, is_new] = known_.try_emplace({verdict, sentence}, rows_.size());
    if (is_new)
      rows_.push_back({std::move(row), item, {}});
    else if (Row& first = rows_[known->second]; first.item != item)
      first.others.insert(item);
  }

  void set(Data& page) {
    Data rows = list();
    for (size_t i = 0; i < std::min(rows_.size(), most_failures); ++i) {
      Row& row = rows_[i];
      row.data.set("has_others", !row.others.empty());
      row.data.set("others", others_label(row.others));
      rows.push_back(row.data);
    }
    page.set("has_failures", !rows_.empty());
    page.set("failure_rows", rows);
    page.set(
        "more_failures",
        optional(rows_.size() > most_failures ? count(rows_.size() - most_failures, "more failure") : ""));
  }

 private:
  struct Row {
    Data data;
    std::string item;
    std::set<std::string> others;
  };

  /// Returns "also in 20 more cases: lr/a, lr/b, ...".
  static std::string others_label(const std::set<std::string>& others) {
    std::string names;
    size_t number = 0;
    for (const std::string& name : others)
      if (++number <= most_others)
        names += (number == 1 ? "" : ", ") + shorten(name, longest_case);
    return "also in " + count(others.size(), "more case") + ": " + names +
           (others.size() > most_others ? ", ..." : "");
  }

  std::map<std::pair<std::string, std::string>, size_t> known_;
  std::vector<Row> rows_;
};

/// An arm that did not finish fails its case, whatever the results of its checks.
void add_crashes(FailureRows& rows, const Results& results, const std::vector<std::string>& slugs) {
  for (size_t i = 0; i < results.cases.size(); ++i)
    for (const LostArm& arm : results.cases[i].lost_arms) {
      Data row;
      set_verdict(row, "crashed");
      row.set("target", slugs[i]);
      row.set("case", breakable(results.cases[i].name, longest_case));
      row.set("quantity", "arm " + shorten(arm.name, 60));
      row.set("sides", "");
      row.set("sentence", shorten(arm.failure, longest_sentence));
      rows.add("crashed", arm.failure, results.cases[i].name, std::move(row));
    }
}

void set_failures(Data& page, const Results& results, const std::vector<std::string>& slugs) {
  FailureRows rows;
  add_crashes(rows, results, slugs);
  for (const Finding& finding : failures(results))
    if (finding.check->verdict != "crashed")  // the arm is listed already
      rows.add(finding.check->outcome(), finding.check->sentence, finding.item->name,
               finding_row(finding, slugs[finding.case_index]));
  rows.set(page);
}

void set_goldens(Data& page, const Results& results, const std::vector<std::string>& slugs) {
  const GoldenState state = golden_state(results);
  Data changed = list(), recorded = list();
  for (size_t i = 0; i < std::min(state.changed.size(), most_changes); ++i)
    changed.push_back(finding_row(state.changed[i], slugs[state.changed[i].case_index]));
  for (size_t i = 0; i < std::min(state.recorded.size(), most_changes); ++i)
    recorded.push_back(finding_row(state.recorded[i], slugs[state.recorded[i].case_index]));
  const size_t hidden = state.changed.size() - std::min(state.changed.size(), most_changes);
  const std::string size = golden_size_label(results);
  page.set("golden_sentence", state.sentence() + (size.empty() ? "" : "; " + size));
  page.set("golden_state", state.changed.empty() ? "pass" : "fail");
  page.set("has_changed", !state.changed.empty());
  page.set("changed", changed);
  page.set("more_changed", optional(hidden > 0 ? count(hidden, "more quantity", "more quantities") : ""));
  page.set("has_recorded", !state.recorded.empty());
  page.set("recorded", recorded);
}

void set_slowest(Data& page, const Results& results, const std::vector<std::string>& slugs) {
  const std::vector<const CaseLine*> cases = slowest(results, most_slow);
  Data rows = list();
  for (const CaseLine* item : cases) {
    Data row = pair("slug", slugs[static_cast<size_t>(item - results.cases.data())], "case",
                    breakable(item->name, longest_case));
    row.set("duration", duration(item->seconds));
    row.set("times", optional(times_label(item->times)));
    row.set("percent", std::to_string(std::lround(100 * item->seconds / cases.front()->seconds)));
    rows.push_back(row);
  }
  page.set("has_slowest", cases.size() > 1);
  page.set("slowest", rows);
}

}  // namespace

Data case_row(const CaseLine& item, size_t index, const std::string& slug) {
  Data row;
  set_state(row, item);
  set_verdict(row, item.verdict);
  row.set("index", std::to_string(index));
  row.set("slug", slug);
  row.set("short_name", breakable(item.name, longest_case));
  row.set("curve", curve_picture(item));
  row.set("sentence", shorten(item.sentence, 500));
  row.set("held", std::to_string(item.checks - item.checks_failed));
  row.set("all", std::to_string(item.checks));
  row.set("seconds", exact(Json(item.seconds)));
  row.set("duration", item.seconds > 0 ? duration(item.seconds) : "");
  return row;
}

void set_overview(Data& page, const Results& results, const std::vector<std::string>& slugs) {
  set_failures(page, results, slugs);
  set_goldens(page, results, slugs);
  set_slowest(page, results, slugs);
}

}  // namespace parity::reports
