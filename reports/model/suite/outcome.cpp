// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/model/suite/outcome.hpp"

#include <fmt/format.h>

#include "reports/model/text.hpp"

namespace parity::reports {
namespace {

/// Returns the outcome of the cases that were judged.
std::string outcome_of_cases(const Results& results) {
  const size_t failed = results.cases_failed();
  const size_t skipped = results.cases_skipped();
  const size_t judged = results.cases.size() - skipped;
  const std::string aside =
      skipped == 0 ? "" : ", " + std::to_string(skipped) + (skipped == 1 ? " is skipped" : " are skipped");
  if (judged == 0)
    return "No case was judged" + aside;
  if (failed == 0)
    return (judged == 1 ? "The case holds" : "All " + std::to_string(judged) + " cases hold") + aside;
  return std::to_string(failed) + " of " + count(judged, "case") + (failed == 1 ? " fails" : " fail") + aside;
}

}  // namespace

std::string mixed_label(const Results& results) {
  constexpr size_t longest = 200;
  std::string label;
  for (const std::string& difference : results.mixed)
    label += (label.empty() ? "Mixed results, merged of different origins (" : "; ") +
             shorten(difference, longest);
  return label.empty() ? "" : label + ")";
}

std::string outcome(const Results& results) {
  const std::string mixed = mixed_label(results);
  std::string judged = (mixed.empty() ? "" : mixed + ". ") + outcome_of_cases(results);
  std::string missing;
  for (const int64_t shard : results.missing_shards)
    missing += (missing.empty() ? "" : ", ") + std::to_string(shard);
  if (!missing.empty())
    return "Not the whole suite: shard" + std::string(results.missing_shards.size() == 1 ? " " : "s ") +
           missing + (results.missing_shards.size() == 1 ? " is" : " are") + " missing. " + judged;
  if (results.interrupted)
    return "Interrupted: " + count(results.unfinished.size(), "case") +
           (results.unfinished.size() == 1 ? " was" : " were") + " not judged" +
           (results.cases.empty() ? "" : ". " + judged);
  return judged;
}

std::string golden_size_label(const Results& results) {
  if (results.golden_files <= 0)
    return "";
  constexpr double mebibyte = 1 << 20;
  return fmt::format("{} {:.1f} MiB of the {:.4g} MiB they may take",
                     results.golden_files == 1 ? "1 golden file takes"
                                               : std::to_string(results.golden_files) + " golden files take",
                     results.golden_bytes / mebibyte, results.golden_limit / mebibyte);
}

}  // namespace parity::reports
