// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "reports/model/suite/results.hpp"

namespace parity::reports {

/// The texts of a picture. They are shortened, and quoted so that gnuplot expands nothing.
struct PlotTexts {
  std::string title;
  std::vector<std::string> arms;  ///< names of series and gaps; their order decides their styles
  std::string reference;          ///< arm to which gaps are measured
  std::string words;              ///< below the title; "" for none
  std::string band = "rounding noise";
};

/// Returns the texts of a curve of a case.
PlotTexts plot_texts(const Case& item, const Curve& curve);

/// Returns commands for gnuplot that draw one curve twice, as `file`.svg and as `file`.png: the arms above,
/// their gap to the reference below, on a log axis with a band of noise.
///
/// Names are in single quotes, in which gnuplot expands nothing, and without control characters.
std::string plot_script(const PlotTexts& texts, const Curve& curve, const std::filesystem::path& file);

}  // namespace parity::reports
