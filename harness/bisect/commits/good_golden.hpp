// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/bisect/commits/answer.hpp"
#include "harness/bisect/commits/history.hpp"
#include "harness/bisect/commits/trace_gap.hpp"
#include "harness/suite/cases/case.hpp"
#include "harness/suite/goldens/git.hpp"

namespace parity {

/// The golden that the good side's commit holds of the case, as traces of channels.
struct GoodGolden {
  std::string problem;                                  ///< why there is none; "" if it is there
  std::map<std::string, std::filesystem::path> traces;  ///< by arm
  std::map<std::string, Json> fingerprints;             ///< of the environment they come from, by arm
};

/// \param folder  to write the traces to
GoodGolden read_good_golden(const Git& git, const Commit& good, const Case& source,
                            const std::vector<std::string>& arms, const std::filesystem::path& folder);

/// What a run says of the golden of its own commit.
struct GoldenWord {
  std::optional<GapPlace> first;  ///< nothing: every channel has the golden's bits
  std::string arm;                ///< that differs
  bool same_environment = true;   ///< as far as both tell theirs
};

GoldenWord compare_with_golden(const GoodGolden& golden, const CommitAnswer& answer,
                               const std::vector<std::string>& channels);

}  // namespace parity
