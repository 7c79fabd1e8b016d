// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Relation no_farther from case file to results: a sibling pair of the same case, and of another one.
#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "tests/harness/suite/suite_fixture.hpp"

namespace parity::suite {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// FSDP is 0.227 from its reference, as in Megatron-LM's PR #4891.
class SiblingTest : public SuiteTest {
 protected:
  void SetUp() override {
    SuiteTest::SetUp();
    write_trace("reference", falling_losses());
    write_trace("fsdp", moved(0.227));
    write_trace("hsdp", moved(0.255));
  }
  static std::vector<double> moved(double gap) {
    std::vector<double> losses = falling_losses();
    for (double& loss : losses)
      loss += gap;
    return losses;
  }
  static std::string head() { return "[golden]\narms = []\n"; }
  static std::string claim(const std::string& sibling) {
    return "[[checks]]\nchannel = \"loss\"\narms = [\"reference\", \"hsdp\"]\nrelation = \"no_farther\"\n" +
           sibling + "because = \"the test says so\"\n";
  }
  Case one_case() const {
    return write_case("mesh", head() + copying_arm("reference", "reference") + copying_arm("fsdp", "fsdp") +
                                  copying_arm("hsdp", "hsdp") +
                                  claim("sibling = [\"reference\", \"fsdp\"]\n"));
  }
  /// The sibling's case, with its golden, and one that names it.
  Case two_cases() const {
    const Case other =
        write_case("fsdp", copying_arm("reference", "reference") + copying_arm("fsdp", "fsdp") +
                               "[[checks]]\nchannel = \"lr\"\nrelation = \"identical\"\nbecause = \"x\"\n");
    run({other}, golden::GoldenMode::create_missing);
    return write_case("hsdp",
                      head() + copying_arm("reference", "reference") + copying_arm("hsdp", "hsdp") +
                          claim("sibling_case = \"topic/fsdp\"\nsibling = [\"reference\", \"fsdp\"]\n"));
  }
  Json check(const Case& item) const { return run({item}).at("cases").at(0).at("checks").at(0); }
  /// Returns the error of reading a case.
  std::string complaint(const std::string& check) const {
    try {
      write_case("bad", head() + copying_arm("reference", "reference") + copying_arm("fsdp", "fsdp") +
                            copying_arm("hsdp", "hsdp") + check);
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  }
};

TEST_F(SiblingTest, Pair_MuchFartherThanSibling_FailsWithBothGaps) {
  const Json good = check(one_case());
  EXPECT_EQ(good.at("passed"), true) << good;
  EXPECT_EQ(good.at("relation"), "no_farther");
  EXPECT_EQ(good.at("parameters").at("times"), 3);
  write_trace("hsdp", moved(1.527));
  const Json bad = check(one_case());
  EXPECT_EQ(bad.at("passed"), false);
  EXPECT_EQ(bad.at("verdict"), "different");
  EXPECT_THAT(bad.at("sentence").get<std::string>(),
              HasSubstr("the gap of hsdp against reference is 6.7 times that of fsdp against reference "
                        "(1.527 against 0.227)"));
}

TEST_F(SiblingTest, ASiblingOfAnotherCaseIsTakenFromItsGolden) {
  const Json good = check(two_cases());
  EXPECT_EQ(good.at("passed"), true) << good;
  write_trace("hsdp", moved(1.527));
  const Json bad = check(two_cases());
  EXPECT_EQ(bad.at("passed"), false);
  EXPECT_THAT(
      bad.at("sentence").get<std::string>(),
      HasSubstr("the gap of hsdp against reference is 6.7 times that of fsdp against reference of topic/fsdp "
                "(1.527 against 0.227)"));
}

TEST_F(SiblingTest, ChangedOrLostGolden_IsSeenAfterJudging) {
  const Case item = two_cases();
  EXPECT_EQ(check(item).at("passed"), true);
  const std::filesystem::path golden = folder_ / "golden/topic/fsdp.h5";
  std::filesystem::remove(golden);
  const Json lost = check(item);
  EXPECT_EQ(lost.at("verdict"), "missing");
  EXPECT_THAT(lost.at("sentence").get<std::string>(), HasSubstr("the sibling's gap is not known"));
  write_trace("fsdp", moved(0.001));
  two_cases();
  EXPECT_EQ(check(item).at("passed"), false);
  std::string bytes = read_file(golden);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  write_file(golden, bytes);
  EXPECT_EQ(check(item).at("verdict"), "missing");
}

TEST_F(SiblingTest, MistakesAreToldWithTheirPlace) {
  EXPECT_THAT(complaint(claim("")), HasSubstr("needs sibling ="));
  EXPECT_THAT(complaint(claim("sibling = [\"reference\"]\n")), HasSubstr("needs sibling ="));
  EXPECT_THAT(complaint(claim("sibling = [\"reference\", \"fdsp\"]\n")),
              AllOf(HasSubstr("bad.toml:"), HasSubstr("unknown arm 'fdsp'"), HasSubstr("fsdp")));
  EXPECT_THAT(complaint(claim("sibling = [\"reference\", \"hsdp\"]\n")),
              HasSubstr("the compared pair itself"));
  EXPECT_THAT(complaint(claim("sibling = [\"reference\", \"fsdp\"]\ntimes = 0\n")),
              HasSubstr("'times' is a factor"));
  EXPECT_THAT(complaint(claim("sibling = [\"reference\", \"fsdp\"]\neach = true\n")),
              HasSubstr("'each' is about tensors"));
  EXPECT_THAT(complaint(claim("sibling = [\"a\", \"b\"]\nsibling_case = \"topic/gone\"\n")),
              HasSubstr("there is no case 'topic/gone'"));
  EXPECT_THAT(
      complaint("[[checks]]\nchannel = \"loss\"\narms = [\"reference\", \"hsdp\"]\nrelation = \"identical\"\n"
                "sibling = [\"reference\", \"fsdp\"]\nbecause = \"x\"\n"),
      HasSubstr("'sibling' belongs to relation no_farther"));
}

}  // namespace
}  // namespace parity::suite
