// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/model/text.hpp"

#include <cmath>
#include <cstdlib>
#include <limits>

#include <gtest/gtest.h>

#include "reports/model/checks/label.hpp"

namespace parity::reports {
namespace {

TEST(TextTest, ShowsControlCharactersAndDirectionOverrides) {
  EXPECT_EQ(escape_for_terminal(std::string("a\x1b[31m\0b\x7f", 9)), "a<U+001B>[31m<U+0000>b<U+007F>");
  EXPECT_EQ(escape_for_terminal("x\xE2\x80\xAEy\xE2\x81\xA6z"), "x<U+202E>y<U+2066>z");
  EXPECT_EQ(escape_for_terminal("\xC2\x9B"), "<U+009B>");
  EXPECT_EQ(escape_for_terminal("é≈\n\t"), "é≈\n\t");
  EXPECT_EQ(one_line("a\nb\tc"), "a b c");
}

TEST(TextTest, ShortensInTheMiddleByCodePoints) {
  EXPECT_EQ(shorten("0123456789", 10), "0123456789");
  EXPECT_EQ(shorten("0123456789x", 10), "0123...89x");
  EXPECT_EQ(shorten("≈≈≈≈≈≈≈≈≈≈≈", 7), "≈≈...≈≈");
  EXPECT_EQ(width_of(shorten(std::string(4000, 'x'), 120)), 120U);
}

TEST(TextTest, MeshesAreToldWhereAnArmHasSeveralRanks) {
  Case item;
  item.arms.resize(2);
  item.arms[0].name = "alone";
  item.arms[1].name = "fsdp";
  EXPECT_EQ(meshes_label(item), "");
  item.arms[1].ranks = 4;
  EXPECT_EQ(meshes_label(item), "alone 1 rank, fsdp 4 ranks");
  item.arms[1].provenance = {{"mesh", "dp_shard 2 x tp 2"}};
  EXPECT_EQ(meshes_label(item), "alone 1 rank, fsdp dp_shard 2 x tp 2");
}

TEST(TextTest, ExactGivesTheDoubleBack) {
  for (const double value : {0.1, 1.0 / 3, 5e-324, 1.7976931348623157e308, -0.0})
    EXPECT_EQ(std::strtod(exact(Json(value)).c_str(), nullptr), value);
  EXPECT_EQ(exact(Json(std::nextafter(1.0, 2.0))), "1.0000000000000002");
  EXPECT_EQ(exact(Json("nan")), "nan");
  EXPECT_EQ(exact(Json()), "none");
  EXPECT_EQ(exact(Json(9007199254740993)), "9007199254740993");
}

TEST(TextTest, BriefNeverRoundsANumberBesideOneToOne) {
  EXPECT_EQ(brief(0.9999991), "1 - 9e-07");
  EXPECT_EQ(brief(1.0), "1");
  EXPECT_EQ(brief(2.34567e-7), "2.346e-07");
  EXPECT_EQ(brief(std::numeric_limits<double>::quiet_NaN()), "nan");
}

TEST(TextTest, CountsAndDurationsReadWell) {
  EXPECT_EQ(count(1, "check"), "1 check");
  EXPECT_EQ(count(0, "check"), "0 checks");
  EXPECT_EQ(duration(0.0123), "12 ms");
  EXPECT_EQ(duration(4.24), "4.2 s");
  EXPECT_EQ(duration(125), "2 min 5 s");
}

TEST(TextTest, PutsLimitedMetricsFirstAndHidesCountsOfNoNan) {
  Check check;
  check.measured = {{"max_ulp", 3}, {"collapse_log2", 28.1}, {"nan", 0}, {"zeta", 1.0}};
  check.limit = {{"collapse_log2", 20}};
  EXPECT_EQ(measured_label(check, 2), "collapse (log2) 28.1, zeta 1");
  EXPECT_EQ(limits_label(check), "collapse (log2) ≥ 20");
  EXPECT_EQ(headline_metrics(check, 9).size(), 3U);
}

TEST(TextTest, ADistinctGapMustNotCollapse) {
  Check check;
  check.limit = {{"collapse_log2", 20}};
  check.relation = "distinct";
  EXPECT_EQ(limits_label(check), "collapse (log2) < 20");
}

}  // namespace
}  // namespace parity::reports
