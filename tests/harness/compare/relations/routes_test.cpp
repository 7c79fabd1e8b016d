// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/relations/routes.hpp"

#include <gmock/gmock.h>

#include "tests/support/traces/planted_runs.hpp"

namespace parity::compare {
namespace {

using testing::HasSubstr;

/// The experts of each token, by router; a token is a string such as "0110".
using Routes = std::map<std::string, std::vector<std::string>>;

class RoutesTest : public PlantedTest {
 protected:
  std::vector<std::unique_ptr<trace::Trace>> traces;

  /// Writes two updates: the first with the routes `first`, the second with `second`.
  void add_routes(const std::string& arm, const Routes& first, const Routes& second) {
    trace::Recorder::Options options{folder / (arm + ".h5"), Json::object(), Json::object(), {}, 0};
    options.capture.tensors.push_back({});
    trace::Recorder recorder(std::move(options));
    for (int64_t step = 0; step <= 2; ++step) {
      recorder.begin_step(step);
      if (step > 0) {
        recorder.channel("loss", 1.0);
        for (const auto& [router, tokens] : step == 1 ? first : second)
          record(recorder, router + ".routes", tokens);
      }
      recorder.end_step();
    }
    recorder.finish();
    traces.push_back(std::make_unique<trace::Trace>(trace::Trace::open(folder / (arm + ".h5"))));
    arms[arm].trace = traces.back().get();
  }

  CheckResult judged(Relation relation = Relation::identical) const {
    Check check = check_of(relation, {});
    check.tensor = "layers.*.moe.routes";
    check.phase = trace::Phase::input;
    return judge(check, arms);
  }

 private:
  static void record(trace::Recorder& recorder, const std::string& name,
                     const std::vector<std::string>& tokens) {
    std::vector<uint8_t> chosen;
    for (const std::string& token : tokens)
      for (const char expert : token)
        chosen.push_back(expert == '1' ? 1 : 0);
    const auto experts = static_cast<int64_t>(tokens.front().size());
    const TensorView view = {DType::bool8, {1, static_cast<int64_t>(tokens.size()), experts}, chosen.data()};
    recorder.tensor(trace::Phase::input, name, view, nullptr, {});
  }
};

const Routes both = {{"layers.0.moe", {"1100", "0110"}}, {"layers.1.moe", {"0011", "1001"}}};

TEST_F(RoutesTest, EqualRoutes_AreIdenticalAndCounted) {
  add_routes("a", both, both);
  add_routes("b", both, both);
  const CheckResult result = judged();
  EXPECT_TRUE(result.passed);
  EXPECT_EQ(result.more,
            std::vector<std::string>{"routes of b and a: the same experts for all 4 tokens in 2 layers"});
  EXPECT_EQ(result.measured["routes_compared"], 8);
}

TEST_F(RoutesTest, OtherRoutes_AreLocatedByLayerStepAndToken) {
  Routes other = both;
  other["layers.1.moe"][1] = "0101";
  add_routes("a", both, both);
  add_routes("b", both, other);
  const CheckResult result = judged();
  EXPECT_FALSE(result.passed);
  EXPECT_EQ(
      result.more.at(0),
      "routes of b and a: 12.5 % of 8 choices of experts differ, which touch 25 % of 4 tokens in some "
      "layer; most in layers.1.moe, for 25 % of its tokens; first in layers.1.moe at step 2, for 1 of 2 "
      "tokens");
  EXPECT_EQ(result.measured["routes_differing"], 1);
  EXPECT_EQ(result.measured["tokens_touched"], 1);
}

TEST_F(RoutesTest, OneTokenInTwoLayers_IsTouchedOnce) {
  Routes other = both;
  other["layers.0.moe"][0] = "1010";
  other["layers.1.moe"][0] = "1010";
  add_routes("a", both, both);
  add_routes("b", other, both);
  EXPECT_EQ(judged().measured["routes_differing"], 2);
  EXPECT_EQ(judged().measured["tokens_touched"], 1);
}

TEST_F(RoutesTest, OtherNumberOfExperts_NeverAgrees) {
  const Routes more = {{"layers.0.moe", {"11000", "01100"}}, {"layers.1.moe", {"00110", "10010"}}};
  const Routes fewer = {{"layers.0.moe", {"1000", "0100"}}, {"layers.1.moe", {"0001", "1000"}}};
  add_routes("a", both, both);
  add_routes("b", more, more);
  EXPECT_THAT(judged().more.at(0), HasSubstr("100 % of 8 choices of experts differ"));
  EXPECT_THAT(judged().more.at(0), HasSubstr("4 experts against 5"));
  add_routes("b", fewer, fewer);
  EXPECT_THAT(judged().more.at(0), HasSubstr("2 experts of a token against 1"));
}

TEST_F(RoutesTest, TokensWithoutExperts_AgreeWithNothing) {
  Routes none = both;
  none["layers.0.moe"][1] = "0000";
  add_routes("a", none, both);
  add_routes("b", none, both);
  const CheckResult result = judged();
  EXPECT_FALSE(result.passed);
  EXPECT_THAT(result.sentence, HasSubstr("tokens of a and b have no expert in layers.0.moe at step 1"));
}

TEST_F(RoutesTest, ARouterThatOneSideLacks_IsMissing) {
  Routes fewer = both;
  fewer.erase("layers.1.moe");
  add_routes("a", both, both);
  add_routes("b", both, fewer);
  EXPECT_FALSE(judged().passed);
  EXPECT_EQ(judged().verdict, Verdict::missing);
}

}  // namespace
}  // namespace parity::compare
