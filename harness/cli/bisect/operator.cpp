// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/bisect/operators/minimise.hpp"
#include "harness/cli/bisect/bisect.hpp"
#include "harness/cli/print/search.hpp"
#include "harness/suite/cases/named_case.hpp"

namespace parity::cli {
namespace {

bisect::SearchRecord record_of(const bisect::SmallestFailure& found, const suite::Case& source) {
  bisect::SearchRecord record;
  record.subject = source.name + ": the smallest input for which a check fails";
  record.differs = found.found;
  record.sentence = found.sentence;
  if (!found.found)
    return record;
  const auto add = [&](const std::string& name, const std::string& answer) {
    record.stages.emplace_back().name = name;
    record.stages.back().answer = answer;
  };
  add("check", fmt::format("number {} of the case: {}", found.check + 1, source.checks[found.check].because));
  add("began at", fmt::format("{}: {} elements", found.first_point, found.first_elements));
  add("sizes", fmt::format("{}: {} elements", found.point, found.elements));
  add("values", fmt::format("{} of them are not 0", found.not_zero));
  add("kept in", found.file.string());
  record.notes.push_back("in [operator]: " + found.lines);
  record.details = found.to_json();
  return record;
}

}  // namespace

std::optional<ExitCode> bisect_operator(const SideOptions& options) {
  std::optional<suite::Case> source;
  try {
    source = suite::named_case(options.good, options.root);
  } catch (const UserError&) {
    return std::nullopt;  // not a case by itself: the usual search says what is wrong
  }
  if (!source->problem)
    return std::nullopt;
  if (!options.bad.empty() || !options.settings.empty())
    throw UserError(
        "cannot bisect an operator case with a second side or --set (its failing check names the arms); "
        "run: parity bisect CASE");
  const suite::SuiteOptions suite = options.run.suite_options();
  Progress progress(stderr);
  const bisect::SmallestFailure found = bisect::minimise(*source, suite, progress);
  return report_search(record_of(found, *source), suite.out, "operator " + source->name, options.run.json);
}

}  // namespace parity::cli
