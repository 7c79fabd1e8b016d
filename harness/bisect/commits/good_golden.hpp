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

namespace parity::bisect {

/// The golden of the case in the good commit, as traces of channels.
struct GoodGolden {
  std::string problem;                                  ///< why there is none; "" if there is one
  std::map<std::string, std::filesystem::path> traces;  ///< by arm
  std::map<std::string, Json> fingerprints;             ///< of the recording environment, by arm
};

/// Reads the golden of the good commit.
/// \param folder  destination of the traces
GoodGolden read_good_golden(const suite::Git& git, const Commit& good, const suite::Case& source,
                            const std::vector<std::string>& arms, const std::filesystem::path& folder);

/// The first difference between a run and the golden of its own commit.
struct GoldenWord {
  std::optional<GapPlace> first;  ///< not set: every channel has the golden's bits
  std::string arm;                ///< the arm that differs
  bool same_environment = true;   ///< no recorded property of the environments differs
};

GoldenWord compare_with_golden(const GoodGolden& golden, const CommitAnswer& answer,
                               const std::vector<std::string>& channels);

}  // namespace parity::bisect
