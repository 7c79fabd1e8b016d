// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/model/case_times.hpp"

#include <gmock/gmock.h>

#include "tests/reports/sample.hpp"

namespace parity::reports {
namespace {

TEST(CaseTimesTest, AreReadAddedAndNamed) {
  Json json = sample_json();
  json["cases"][0]["time"] = {{"training", 4.2}, {"start", 1.1}, {"judging", 0.25}, {"waiting", 0}};
  json["cases"][1]["time"] = {{"training", 60}, {"start", 0}};
  EXPECT_EQ(times_label(parse_results(json.dump(), "results").results().times()),
            "training 1 min 4 s, start 1.1 s, judging 250 ms");
}

TEST(CaseTimesTest, OfResultsWithoutThemAreNotNamed) {
  Json json = sample_json();
  for (Json& item : json["cases"])
    item.erase("time");
  EXPECT_EQ(times_label(parse_results(json.dump(), "results").results().times()), "");
}

}  // namespace
}  // namespace parity::reports
