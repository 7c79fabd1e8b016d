// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "reports/model/curves/gap_scale.hpp"

namespace parity::reports {

/// A drawing without a script: SVG stretched over its frame, with labels as separate text, so that they keep
/// their size on a phone. Places are fractions of the frame, 0 to 1, from the left and from the top.
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
  std::string words;  ///< for readers who cannot see it
  std::string x_title, y_title;
  std::vector<Label> x_ticks, y_ticks;
  std::vector<Band> bands;  ///< along x, in place of ticks
  std::vector<Path> paths;
  std::vector<Mark> marks;  ///< lines from top to bottom
  std::vector<Ring> rings;
};

/// Returns "12.5 840" for a place in the frame.
std::string point(double left, double top);

/// Returns a line through the given places, interrupted where one is missing. \param tops  one for each of
/// `lefts`
std::string line_through(const std::vector<double>& lefts, const std::vector<Value>& tops);

/// Returns a dot at each given place.
std::string dots_at(const std::vector<double>& lefts, const std::vector<Value>& tops);

/// Returns round numbers from `low` to `high`, with at most `most` steps. \param least  smallest step
std::vector<double> round_numbers(double low, double high, int most, double least = 0);

/// Returns a logarithmic axis from the top down (model/curves/gap_scale.hpp): the place of each value, and
/// its labels.
std::vector<Value> places_of(const std::vector<Value>& values, const GapScale& scale);
std::vector<Chart::Label> labels_of(const GapScale& scale);

/// Returns the HTML of a chart. Each text is escaped.
std::string render(const Chart& chart);

}  // namespace parity::reports
