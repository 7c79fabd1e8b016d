// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/model/suite/overview.hpp"

#include <algorithm>

#include "reports/model/curves/shown.hpp"
#include "reports/model/text.hpp"

namespace parity::reports {
namespace {

/// Returns every listed check that `wanted` selects.
template <class Wanted>
std::vector<Finding> findings(const Results& results, Wanted wanted) {
  std::vector<Finding> found;
  for (size_t i = 0; i < results.cases.size(); ++i)
    for (const ListedCheck& listed : results.cases[i].listed)
      if (wanted(listed.check))
        found.push_back({&results.cases[i], i, &listed.check, listed.number});
  return found;
}

}  // namespace

std::vector<Finding> failures(const Results& results) {
  return findings(results, [](const Check& check) { return !check.passed; });
}

GoldenState golden_state(const Results& results) {
  GoldenState state;
  for (const CaseLine& item : results.cases) {
    state.quantities += item.goldens_agree;
    state.agree += item.goldens_agree;
    state.cases += item.goldens_agree > 0 || std::ranges::any_of(item.listed, [](const ListedCheck& listed) {
                     return is_of_golden(listed.check) && listed.check.verdict != "crashed";
                   });
  }
  for (const Finding& finding : findings(results, is_of_golden)) {
    if (is_record(*finding.check)) {
      state.recorded.push_back(finding);
      continue;
    }
    if (finding.check->quantity == "golden" && finding.check->verdict == "missing") {
      ++state.without;
      continue;
    }
    if (finding.check->verdict == "crashed") {
      ++state.lost;
      continue;
    }
    ++state.quantities;
    if (finding.check->verdict == "identical")
      ++state.agree;
    else
      state.changed.push_back(finding);
  }
  return state;
}

std::string GoldenState::sentence() const {
  const std::string compared =
      sentence_of_compared() + (lost == 0 ? ""
                                          : "; " + count(lost, "stored quantity", "stored quantities") +
                                                " could not be compared, as a run did not finish");
  return without == 0 ? compared
                      : compared + "; " + count(without, "case") + (without == 1 ? " has" : " have") +
                            " no golden yet";
}

std::string GoldenState::sentence_of_compared() const {
  if (quantities == 0)
    return recorded.empty() ? "No case was compared with a golden"
                            : count(recorded.size(), "golden") + " recorded";
  const std::string where = " of " + count(cases, "case");
  if (changed.empty())
    return (quantities == 1 ? "The stored quantity" : "All " + grouped(quantities) + " stored quantities") +
           where + (quantities == 1 ? " agrees" : " agree") + " bit for bit";
  return grouped(changed.size()) + " of " + grouped(quantities) + " stored quantities" + where + " changed";
}

std::vector<const CaseLine*> slowest(const Results& results, size_t most) {
  std::vector<const CaseLine*> cases;
  for (const CaseLine& item : results.cases)
    if (item.seconds > 0)
      cases.push_back(&item);
  std::ranges::stable_sort(cases, std::ranges::greater{}, &CaseLine::seconds);
  cases.resize(std::min(cases.size(), most));
  return cases;
}

std::string grouped(size_t number) {
  std::string digits = std::to_string(number);
  for (size_t at = digits.size(); at > 3;)
    digits.insert(at -= 3, ",");
  return digits;
}

}  // namespace parity::reports
