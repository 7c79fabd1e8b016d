// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/compare/traces.hpp"

#include <fmt/format.h>

#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/cli/compare/pages/traces.hpp"
#include "harness/cli/compare/print_traces.hpp"
#include "harness/cli/compare/sides.hpp"
#include "harness/suite/results/file/last.hpp"
#include "harness/trace/read/trace.hpp"

namespace parity::cli {
namespace {

PairOutcome trace_outcome(const suite::TraceDifference& difference, const std::string& side) {
  PairOutcome pair{side, difference.identical() ? ExitCode::agree : ExitCode::differ, conclusion(difference),
                   difference.to_json()};
  if (difference.agrees() && !difference.identical())
    pair.code = ExitCode::crashed;
  return pair;
}

}  // namespace

ExitCode compare_all_traces(const TraceOptions& options) {
  std::vector<trace::Trace> traces;
  for (const std::string& words : options.sides)
    traces.push_back(trace::Trace::open(suite::find_trace(words, options.out)));
  const auto detail = options.profile ? compare::TensorDetail::profile : compare::TensorDetail::numbers;
  std::vector<suite::TraceDifference> differences;
  std::vector<PairOutcome> pairs;
  for (size_t i = 1; i < traces.size(); ++i) {
    differences.push_back(compare_traces(traces.front(), traces[i], options.filter, detail, options.policy));
    pairs.push_back(trace_outcome(differences.back(), options.sides[i]));
  }
  const ExitCode code = overall_code(pairs);
  const std::string verdict = overall_verdict(options.sides.front(), pairs);
  if (options.json)
    print_json(options.sides.front(), pairs);
  else {
    for (size_t i = 0; i < pairs.size(); ++i) {
      if (pairs.size() > 1)
        fmt::print("{}{}\n\n", i == 0 ? "" : "\n", escape_to_line(pairs[i].side));
      print_traces(differences[i], options.all, options.profile);
      if (pairs.size() > 1)
        print_verdict(pairs[i].code, pairs[i].verdict);
    }
    print_verdict(code, verdict);
  }
  const auto page = [&] {
    reports::Comparison comparison = comparison_of_traces(options.sides, traces, differences);
    comparison.verdict = verdict;
    comparison.agrees = code == ExitCode::agree;
    return comparison;
  };
  write_outputs(options.outputs, page, !options.json);
  return code;
}

}  // namespace parity::cli
