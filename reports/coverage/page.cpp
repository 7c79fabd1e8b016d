// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/coverage/page.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/html/page_parts.hpp"
#include "reports/html/templates.hpp"

namespace parity::reports {
namespace {

using PairsByFeatures = std::map<std::pair<size_t, size_t>, const MatrixPair*>;

const MatrixState& state_of(const CoverageMatrix& matrix, const MatrixPair& pair) {
  const auto found = std::ranges::find(matrix.states, pair.state, &MatrixState::name);
  return found == matrix.states.end() ? matrix.states.front() : *found;
}

/// Returns how dark a cell is: the number of its arms in four classes.
int depth_of(size_t arms) {
  return arms > 20 ? 4 : arms > 5 ? 3 : arms > 1 ? 2 : 1;
}

Data pair_cell(const CoverageMatrix& matrix, const MatrixPair& pair) {
  const bool covered = pair.state == matrix.states.front().name;
  Data cell;
  cell.set("state", covered ? fmt::format("covered depth-{}", depth_of(pair.arms)) : pair.state);
  cell.set("text", !covered          ? state_of(matrix, pair).mark
                   : pair.arms > 999 ? std::string("999+")
                                     : std::to_string(pair.arms));
  cell.set("title", text_of(fmt::format("{} with {}: {}; {}", matrix.features[pair.other].name,
                                        matrix.features[pair.one].name, pair.state, pair.evidence)));
  return cell;
}

/// Returns the triangle: row i has the pairs of feature i with the features before it.
Data rows_of(const CoverageMatrix& matrix, const PairsByFeatures& pairs) {
  Data rows = list();
  for (size_t other = 1; other < matrix.features.size(); ++other) {
    Data row = pair("name", name_of(matrix.features[other].name), "number", std::to_string(other + 1));
    row.set("sentence", text_of(matrix.features[other].sentence));
    Data cells = list();
    for (size_t one = 0; one < other; ++one)
      if (const auto found = pairs.find({one, other}); found != pairs.end())
        cells.push_back(pair_cell(matrix, *found->second));
      else
        cells.push_back(pair("state", "unknown", "text", ""));
    row.set("cells", cells);
    rows.push_back(row);
  }
  return rows;
}

/// Returns a section for each state with its pairs: those that are not covered first.
Data states_of(const CoverageMatrix& matrix) {
  std::vector<const MatrixState*> order;
  for (const MatrixState& state : matrix.states)
    order.push_back(&state);
  std::ranges::rotate(order, order.begin() + 1);
  Data sections = list();
  for (const MatrixState* state : order) {
    Data section = pair("name", name_of(state->name), "sentence", state->sentence), rows = list();
    size_t count = 0;
    for (const MatrixPair& each : matrix.pairs) {
      if (each.state != state->name)
        continue;
      ++count;
      Data row = pair("one", name_of(matrix.features[each.one].name), "other",
                      name_of(matrix.features[each.other].name));
      row.set("evidence", text_of(each.evidence));
      rows.push_back(row);
    }
    section.set("mark", state->mark);
    section.set("count", std::to_string(count));
    section.set("has_pairs", count > 0);
    section.set("pairs", rows);
    sections.push_back(section);
  }
  return sections;
}

Data acts_of(const CoverageMatrix& matrix) {
  Data rows = list();
  for (const CoverageMatrix::Act& act : matrix.acts) {
    Data row = pair("name", name_of(act.name), "acted", std::to_string(act.acted));
    row.set("idle", std::to_string(act.idle));
    row.set("unknown", std::to_string(act.unknown));
    rows.push_back(row);
  }
  return rows;
}

Data starts_of(const CoverageMatrix& matrix) {
  Data rows = list();
  for (const CoverageMatrix::Start& start : matrix.starts) {
    Data row = pair("name", name_of(start.name), "count", std::to_string(start.features.size()));
    row.set("arms", text_of(start.arms.empty() ? "none" : fmt::format("{}", fmt::join(start.arms, ", "))));
    row.set("features", text_of(fmt::format("{}", fmt::join(start.features, ", "))));
    rows.push_back(row);
  }
  return rows;
}

}  // namespace

std::string coverage_page(const CoverageMatrix& matrix) {
  PairsByFeatures pairs;
  for (const MatrixPair& each : matrix.pairs)
    pairs[{each.one, each.other}] = &each;
  Data data = pair("verdict", text_of(matrix.verdict), "origin", text_of(matrix.origin)), heads = list();
  data.set("state", matrix.complete ? "pass" : "fail");
  data.set("mark", matrix.complete ? "✓" : "✗");
  for (size_t i = 0; i + 1 < matrix.features.size(); ++i)
    heads.push_back(pair("name", name_of(matrix.features[i].name), "number", std::to_string(i + 1)));
  data.set("heads", heads);
  data.set("rows", rows_of(matrix, pairs));
  data.set("states", states_of(matrix));
  data.set("has_acts", !matrix.acts.empty());
  data.set("acts", acts_of(matrix));
  data.set("has_starts", !matrix.starts.empty());
  data.set("starts", starts_of(matrix));
  data.set("css", std::string(templates::report_css) + std::string(templates::coverage_css));
  return parse(templates::coverage_mustache).render(data);
}

}  // namespace parity::reports
