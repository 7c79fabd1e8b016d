// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/coverage/page.hpp"

#include <gmock/gmock.h>

namespace parity::reports {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

CoverageMatrix sample_matrix() {
  CoverageMatrix matrix;
  matrix.features = {{"sgd", "updates by SGD"}, {"tensor", "tensor parallelism"}, {"restart", "resumes"}};
  matrix.states = {{"covered", "#", "an arm has both"}, {"missing", ".", "no arm has both"}};
  matrix.pairs = {{0, 1, "covered", 7, "tp/sgd:two and 6 more"},
                  {0, 2, "missing", 0, "optimizer.name=\"<sgd>\""},
                  {1, 2, "covered", 1, "tp/restart:two"}};
  matrix.acts = {{"clipping", 61, 40, 9}};
  matrix.starts = {{"torchrun", {"parallel/launchers:torchrun", "<b>"}, {"tensor", "restart"}},
                   {"srun", {}, {}}};
  matrix.verdict = "2 of 3 pairs of features occur together in an arm; 1 is missing";
  matrix.origin = "12 arms.";
  return matrix;
}

TEST(CoveragePage, Cells_HaveArmsOrAMark) {
  const std::string page = coverage_page(sample_matrix());
  EXPECT_THAT(page, HasSubstr(R"(<td class="covered depth-3" title="tensor with sgd: covered; tp/sgd:two)"));
  EXPECT_THAT(page, HasSubstr(R"(<td class="missing")"));
  EXPECT_THAT(page, HasSubstr(">7</td>"));
  EXPECT_THAT(page, HasSubstr(">.</td>"));
}

TEST(CoveragePage, Verdict_FailsWithAMissingPair) {
  CoverageMatrix matrix = sample_matrix();
  EXPECT_THAT(coverage_page(matrix), HasSubstr(R"(<h1 class="fail">)"));
  matrix.complete = true;
  EXPECT_THAT(coverage_page(matrix), HasSubstr(R"(<h1 class="pass">)"));
}

TEST(CoveragePage, States_ListTheirPairs) {
  const std::string page = coverage_page(sample_matrix());
  EXPECT_THAT(page, HasSubstr("1 missing: no arm has both"));
  EXPECT_LT(page.find("1 missing: "), page.find("2 covered: "));
  EXPECT_THAT(page, HasSubstr(R"(<th scope="row">clipping</th><td class="number">61</td>)"));
}

TEST(CoveragePage, Starts_ListTheirArmsAndTheFeaturesThatTheseMet) {
  const std::string page = coverage_page(sample_matrix());
  EXPECT_THAT(page,
              HasSubstr(R"(<th scope="row">torchrun</th><td>parallel/launchers:torchrun, &lt;b&gt;</td>)"
                        R"(<td class="number">2</td><td>tensor, restart</td>)"));
  EXPECT_THAT(page, HasSubstr(R"(<th scope="row">srun</th><td>none</td><td class="number">0</td><td></td>)"));
}

TEST(CoveragePage, Texts_AreEscaped) {
  CoverageMatrix matrix = sample_matrix();
  matrix.features[0].name = "<script>alert(1)</script>";
  EXPECT_THAT(coverage_page(matrix), Not(HasSubstr("<script>alert")));
  EXPECT_THAT(coverage_page(matrix), Not(HasSubstr("\"<sgd>\"")));
}

}  // namespace
}  // namespace parity::reports
