// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/bisect/commits/search.hpp"

namespace parity::bisect {

/// What second runs of the commits of named steps showed.
struct CommitRepeats {
  std::map<std::string, double> own_gaps;  ///< relative distance of each commit's two runs, by its id
  double largest = 0;                      ///< of all of them
  std::string note;                        ///< "" if all of them repeat

  Json to_json() const;
};

/// Returns whether runs of the question may differ between two times. Arms of parity-train in the portable
/// profile repeat bit for bit on CPUs.
bool may_not_repeat(const CommitQuestion& question);

/// Runs both ends of each step once more, each commit once, and compares them with their first runs.
///
/// A step stays proven if both of its ends repeat, or if only its later end does not: then that commit is the
/// one whose runs no longer repeat. A step with another end that does not repeat loses its name if it is not
/// larger than the largest own gap, and is marked as not proven otherwise. Proven steps come first.
/// \param causes  the steps, largest first; changed as above
/// \param fixed   ids of commits whose answers do not come from a run
/// \throws UserError (exit 3) if no step keeps its name
CommitRepeats repeat_ends(const CommitQuestion& question, CommitSearch& search, CommitProbe& probe,
                          std::vector<ChangingCommit>& causes, const std::set<std::string>& fixed);

}  // namespace parity::bisect
