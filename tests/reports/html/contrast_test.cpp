// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Colours of the page against each other, in both themes. WCAG 2.2, 1.4.3 and 1.4.11.
#include <cmath>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "reports/html/templates.hpp"

namespace parity::reports {
namespace {

using Palette = std::map<std::string, std::string>;

/// The custom properties of the n-th block that begins with ":root".
Palette palette(size_t number) {
  const std::string css(templates::report_css);
  size_t at = 0;
  for (size_t i = 0; i <= number; ++i)
    at = css.find(":root {", at) + 1;
  const std::string block = css.substr(at, css.find('}', at) - at);
  const std::regex colour("--([a-z0-9-]+): (#[0-9a-f]{3,6})");
  Palette found;
  for (std::sregex_iterator match(block.begin(), block.end(), colour), end; match != end; ++match)
    found[(*match)[1]] = (*match)[2];
  return found;
}

/// Relative luminance of "#rrggbb".
double luminance(const std::string& colour) {
  const auto part = [&](size_t at) {
    const double value = std::stoi(colour.substr(at, 2), nullptr, 16) / 255.0;
    return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5);
}

double contrast(const std::string& a, const std::string& b) {
  const double first = luminance(a), second = luminance(b);
  return (std::max(first, second) + 0.05) / (std::min(first, second) + 0.05);
}

TEST(ContrastTest, AgreesWithTheExtremesOfTheStandard) {
  EXPECT_DOUBLE_EQ(contrast("#000000", "#ffffff"), 21);
  EXPECT_DOUBLE_EQ(contrast("#777777", "#777777"), 1);
}

class ThemeContrast : public ::testing::TestWithParam<size_t> {};

TEST_P(ThemeContrast, TextCanBeReadOnEverySurface) {
  const Palette colours = palette(GetParam());
  for (const char* text : {"text", "muted", "link", "pass", "fail", "note"})
    for (const char* ground : {"page", "surface", "sunken", "fail-tint", "note-tint"})
      EXPECT_GE(contrast(colours.at(text), colours.at(ground)), 4.5) << text << " on " << ground;
}

TEST_P(ThemeContrast, LinesOfArmsCanBeSeen) {
  const Palette colours = palette(GetParam());
  for (int arm = 0; arm < 7; ++arm)
    EXPECT_GE(contrast(colours.at("arm-" + std::to_string(arm)), colours.at("surface")), 3) << arm;
}

TEST_P(ThemeContrast, ShadesOfAMapRiseAwayFromTheSurface) {
  const Palette colours = palette(GetParam());
  double last = 1;
  for (int shade = 0; shade < 4; ++shade) {
    const double here = contrast(colours.at("heat-" + std::to_string(shade)), colours.at("surface"));
    EXPECT_GT(here, last * 1.15) << shade;
    last = here;
  }
}

INSTANTIATE_TEST_SUITE_P(Themes, ThemeContrast, ::testing::Values(0, 1),
                         [](const auto& index) { return std::string(index.param == 0 ? "light" : "dark"); });

}  // namespace
}  // namespace parity::reports
