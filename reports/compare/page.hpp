// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "reports/compare/pair_curve.hpp"

namespace parity::reports {

/// A channel that two sides were compared in.
struct ComparedChannel {
  std::string name;
  bool agrees = false;
  std::string verdict;             ///< "identical", "equal" or "different"
  std::vector<std::string> cells;  ///< of the table of channels, after name and verdict
  std::vector<std::string> words;  ///< how it differs, a sentence each
  PairCurve curve;
};

/// A comparison of two files.
struct Comparison {
  std::string title;    ///< of the user; "" for none
  std::string verdict;  ///< a sentence
  bool agrees = false;
  std::string first, second;  ///< names of the sides
  std::vector<std::pair<std::string, std::string>>
      first_facts;  ///< where the file comes from: name, kind, ...
  std::vector<std::pair<std::string, std::string>> second_facts;  ///< with the same keys
  std::vector<std::string> heads;                                 ///< of ComparedChannel::cells
  std::vector<ComparedChannel> channels;
  std::vector<std::string> notes;  ///< what was left out or moved
};

/// The number of channels whose curves are open when the page opens.
inline constexpr size_t most_open = 6;

/// Returns one offline page: the verdict, the files, what was compared and left out, and the curves of each
/// channel with their gap. Channels come in the order of curve_order(). Their curves are drawn when they are
/// scrolled to.
///
/// The page loads plot_library_name from its own folder, if it is there, and nothing else. Without it the
/// page draws its curves itself. Every text is escaped.
std::string comparison_page(const Comparison& comparison);

/// Returns the places of the channels in their order on the page: the loss, then what differs, then the rest.
std::vector<size_t> curve_order(const std::vector<ComparedChannel>& channels);

}  // namespace parity::reports
