// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "reports/model/gap_scale.hpp"

namespace parity::reports {

/// A drawing without a script: SVG stretched over its frame, and the labels as text beside it, so that they
/// keep their size on a phone. Places are parts of the frame, 0 to 1, from the left and from the top.
struct Chart {
  struct Label {
    std::string text;
    double at = 0;
  };
  struct Band {
    std::string text;
    double from = 0, width = 0;
  };
  struct Path {
    std::string look;  ///< class of search.css
    std::string d;     ///< made of point()
  };
  struct Mark {
    std::string look, text;
    double at = 0;
  };
  struct Ring {
    double left = 0, top = 0;
  };

  std::string look;   ///< class of search.css
  std::string words;  ///< for who does not see it
  std::string x_title, y_title;
  std::vector<Label> x_ticks, y_ticks;
  std::vector<Band> bands;  ///< along x, in place of ticks
  std::vector<Path> paths;
  std::vector<Mark> marks;  ///< lines from top to bottom
  std::vector<Ring> rings;
};

/// "12.5 840" of a place in the frame.
std::string point(double left, double top);

/// A line through what there is, interrupted where nothing is. \param tops  one for each of `lefts`
std::string line_through(const std::vector<double>& lefts, const std::vector<Value>& tops);

/// A dot at each place that there is.
std::string dots_at(const std::vector<double>& lefts, const std::vector<Value>& tops);

/// Round numbers from `low` to `high`, at most `most` steps apart. \param least  smallest step
std::vector<double> round_numbers(double low, double high, int most, double least = 0);

/// A logarithmic axis from the top down (gap_scale.hpp): the place of each value, and its labels.
std::vector<Value> places_of(const std::vector<Value>& values, const GapScale& scale);
std::vector<Chart::Label> labels_of(const GapScale& scale);

/// The HTML of a chart. Each text is escaped.
std::string render(const Chart& chart);

}  // namespace parity::reports
