// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "harness/results/case.hpp"
#include "harness/suite/results/case_outcome.hpp"
#include "harness/suite/results/file/writer.hpp"

namespace parity::suite {

/// What people read of a case.
struct CaseText {
  std::string form;  ///< of the listener that wrote it (CaseListener)
  std::string text;
};

/// The results of a case as OUT/cases/<case>.json keeps them, ready to be reported again without parsing
/// them.
struct KeptCase {
  std::string judged_from;  ///< of judged_from(); "" if the results must not be reported again
  ResultsRow row;           ///< each arm is marked as from the cache
  CaseOutcome outcome;
  CaseText text;
};

/// Returns where the results of a case are kept.
std::filesystem::path kept_file(const std::string& case_name, const std::filesystem::path& out);

/// Writes a case's results to OUT/cases/<case>.json, with a digest of the file's content as `seal`.
///
/// results.json holds only the last suite. This file keeps the last run of each case, whatever ran since. It
/// marks every arm as from the cache, as the suite that reports the results again has them.
void keep_results(const results::Case& item, const CaseText& text, const std::filesystem::path& out);

/// Returns what keep_results wrote for a case if the file is unchanged since; otherwise nothing.
std::optional<KeptCase> kept_case(const std::string& case_name, const std::filesystem::path& out);

/// Returns the results in a kept case. \throws UserError if this version cannot read them
results::Case results_of(const KeptCase& kept);

}  // namespace parity::suite
