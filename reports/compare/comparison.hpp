// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "reports/compare/overlay_curve.hpp"

namespace parity::reports {

/// A file that was compared.
struct ComparedSide {
  std::string label;                                       ///< its name, unique among the sides
  std::vector<std::pair<std::string, std::string>> facts;  ///< its kind, size, ...; each side has these keys
};

/// What was found about a channel of one side, next to the first side.
struct ComparedRow {
  std::string side;  ///< its label
  bool agrees = false;
  std::string verdict;             ///< "identical", "equal" or "different"
  std::vector<std::string> cells;  ///< one for each of Comparison::heads
};

/// A channel that the first side shares with at least one other.
struct ComparedChannel {
  std::string name;
  std::vector<ComparedRow> rows;   ///< one for each other side that has it
  std::vector<std::string> words;  ///< how it differs, a sentence each
  OverlayCurve curve;              ///< series and gaps are named by the labels of the sides

  bool agrees() const { return std::ranges::all_of(rows, &ComparedRow::agrees); }
  /// Returns the verdict of the first row that differs, else of the first.
  std::string verdict() const;
};

/// A cell of a table.
struct ComparedCell {
  std::string text;
  double heat = -1;      ///< from 0 to 1 for a cell of a heat map; -1 for others
  bool is_code = false;  ///< a name
};

/// A table of tensors, modules or rules.
struct ComparedTable {
  std::string title;
  std::vector<std::string> heads;
  std::vector<std::vector<ComparedCell>> rows;
  std::string note;  ///< what is left out; "" for nothing
};

/// A comparison of two or more files. The first is the reference.
struct Comparison {
  std::string title;    ///< of the user; "" for none
  std::string verdict;  ///< a sentence
  bool agrees = false;
  std::vector<ComparedSide> sides;  ///< at least two
  std::vector<std::string> heads;   ///< of ComparedRow::cells
  std::vector<ComparedChannel> channels;
  std::string band;  ///< what the floors of the curves are; "" without floors
  std::vector<ComparedTable> tables;
  std::vector<std::string> notes;  ///< what was left out or moved
};

/// Returns the places of the channels in their order of display: the loss, then what differs, then the rest.
std::vector<size_t> curve_order(const std::vector<ComparedChannel>& channels);

}  // namespace parity::reports
