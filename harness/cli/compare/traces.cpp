// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/compare/traces.hpp"

#include <fmt/format.h>

#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/cli/compare/pages/traces.hpp"
#include "harness/cli/compare/print_traces.hpp"
#include "harness/cli/compare/sides.hpp"
#include "harness/cli/print/explanation.hpp"
#include "harness/compare/traces/evidence.hpp"
#include "harness/explain/explain.hpp"
#include "harness/suite/results/file/last.hpp"
#include "harness/trace/read/trace.hpp"

namespace parity::cli {
namespace {

/// Numbers differ often because the runs are not the same before any number: see explain.
constexpr size_t most_causes = 8;

PairOutcome trace_outcome(const compare::TraceDifference& difference, const compare::TraceFilter& filter,
                          const std::string& side) {
  PairOutcome pair{side, difference.identical() ? ExitCode::agree : ExitCode::differ, conclusion(difference),
                   difference.to_json()};
  if (difference.agrees() && !difference.identical())
    pair.code = ExitCode::crashed;
  if (const std::string missing = lacking_evidence(difference, filter); !missing.empty()) {
    pair.code = ExitCode::missing;
    pair.verdict = "missing: " + missing;
    pair.json["identical"] = false;
    pair.json["missing"] = missing;
  }
  return pair;
}

}  // namespace

ExitCode compare_all_traces(const TraceOptions& options) {
  std::vector<trace::Trace> traces;
  for (const std::string& words : options.sides)
    traces.push_back(trace::Trace::open(suite::find_trace(words, options.out)));
  const auto detail = options.profile ? compare::TensorDetail::profile : compare::TensorDetail::numbers;
  std::vector<compare::TraceDifference> differences;
  std::vector<explain::Explanation> recipes;
  std::vector<PairOutcome> pairs;
  for (size_t i = 1; i < traces.size(); ++i) {
    differences.push_back(compare_traces(traces.front(), traces[i], options.filter, detail, options.policy));
    recipes.push_back(explain::explain(traces.front(), traces[i]));
    pairs.push_back(trace_outcome(differences.back(), options.filter, options.sides[i]));
    pairs.back().json["recipes"] = recipes.back().to_json();
  }
  std::vector<std::string> heads = {""};
  for (const PairOutcome& pair : pairs)
    heads.push_back(pairs.size() > 1 ? escape_to_line(pair.side) : "");
  return conclude({options.sides.front(), pairs, heads,
                   [&](size_t i) {
                     print_traces(differences[i], options.all, options.profile);
                     if (differences[i].agrees() || recipes[i].count(false) == 0)
                       return;
                     fmt::print("\nThe runs differ before any of these numbers (parity explain):\n");
                     print_differences(recipes[i], options.sides.front(), options.sides[i + 1], most_causes);
                   },
                   [&] { return comparison_of_traces(options.sides, traces, differences); }},
                  options.outputs, options.json);
}

}  // namespace parity::cli
