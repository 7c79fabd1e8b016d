// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "harness/bisect/versions/probe.hpp"

namespace parity::bisect {

/// A release that moved the numbers, or a range of releases of which at least one did.
struct Move {
  std::string package, before, after;
  std::vector<std::string> between;  ///< releases between the two that could not be judged
  bool narrowed = true;
  VersionGap gap;
  Pins first, second;                   ///< the environments that were compared
  std::string own_gap;                  ///< which of its ends does not repeat; "" if both do
  std::vector<std::string> came_along;  ///< "NAME-VERSION" of other packages that only the second has

  std::string text() const;
};

/// Runs both ends of each move once more and compares them with their first runs.
///
/// A move stays proven if both ends repeat, or if only its later end does not. Another move is dropped if it
/// is not larger than the largest distance between two runs of one environment, and is marked as not proven
/// otherwise. Proven moves come first, each kind by size.
/// \return a sentence on what does not repeat; "" if everything does
/// \throws UserError (exit 3) if no move is left
std::string repeat_ends(VersionProbe& probe, double tolerance, std::vector<Move>& moves);

/// Finds the packages that only the later end of a move has, besides the one that moved: what a release asks
/// for may be what moves the numbers.
void find_companions(Move& move, VersionProbe& probe);

}  // namespace parity::bisect
