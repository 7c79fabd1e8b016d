// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/traces/find_operator.hpp"

#include <optional>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/harness/bisect/traces/model_step.hpp"

namespace parity::bisect {
namespace {

using testing::HasSubstr;

class FirstBadOperatorTest : public ModelStepTest {};

TEST_F(FirstBadOperatorTest, WrongOperator_IsDistinguishedFromWrongInput) {
  const trace::TensorKey first{2, trace::Phase::forward, "layers.1"};
  std::vector<Offer> computes = step_of_model();
  change(computes, trace::Phase::forward, "layers.1@0:aten::mm:out.0", 2);
  change(computes, trace::Phase::forward, "layers.1", 2);
  auto guilty = find_first_bad_operator(healthy(), trace("b.h5", computes), first, 0);
  ASSERT_TRUE(guilty);
  EXPECT_EQ(guilty->text(), "aten::mm of layers.1 gives a different result from the same inputs");
  std::vector<Offer> reads = computes;
  change(reads, trace::Phase::forward, "layers.1@0:aten::mm:in.self", 2);
  guilty = find_first_bad_operator(healthy(), trace("c.h5", reads), first, 0);
  ASSERT_TRUE(guilty);
  EXPECT_THAT(guilty->text(), HasSubstr("aten::mm of layers.1 receives a different self"));
  std::vector<Offer> written = step_of_model();
  change(written, trace::Phase::forward, "layers.1", 2);
  guilty = find_first_bad_operator(healthy(), trace("d.h5", written), first, 0);
  ASSERT_TRUE(guilty);
  EXPECT_EQ(guilty->kind, FirstBadOperator::Kind::written);
}

TEST_F(FirstBadOperatorTest, ExactTwins_NumberComesBeforeTensor_AndDecisionsAreCalledSo) {
  const trace::TensorKey first{1, trace::Phase::forward, "norm"};
  const auto record = [this, first](const std::string& file, uint64_t x, double eps, int64_t index) {
    trace::Recorder::Options with = options(file);
    with.config = {{"dtype", "exact"}};
    with.provenance = {{"residues", {{"prime", "13"}}}};
    trace::Recorder recorder(std::move(with));
    recorder.begin_step(1);
    const std::string op = "norm@0:aten::rms_norm:";
    recorder.tensor(first.phase, op + "in.input", {DType::residue64, {1}, &x});
    recorder.tensor(first.phase, op + "in.eps", {DType::float64, {}, &eps});
    recorder.tensor(first.phase, "norm@1:aten::argmax:out.0", {DType::int64, {1}, &index});
    recorder.tensor(first.phase, "norm", {DType::residue64, {1}, &x});
    recorder.end_step();
    recorder.finish();
    return trace::Trace::open(folder / file);
  };
  const trace::Trace good = record("a.h5", 5, 1e-5, 0);
  auto guilty = find_first_bad_operator(good, record("b.h5", 6, 1.0000000001e-5, 0), first, 0);
  ASSERT_TRUE(guilty);
  EXPECT_EQ(guilty->text(),
            "aten::rms_norm of norm receives a different eps: 1e-05 against 1.0000000001e-05");
  guilty = find_first_bad_operator(good, record("c.h5", 5, 1e-5, 1), first, 0);
  ASSERT_TRUE(guilty);
  EXPECT_THAT(guilty->text(), HasSubstr("aten::argmax of norm decides otherwise"));
}

TEST_F(FirstBadOperatorTest, ArgumentOfOneSide_IsNamed) {
  const trace::TensorKey first{1, trace::Phase::forward, "attn"};
  const auto record = [this, first](const std::string& file, std::optional<double> scale, bool mask,
                                    float y) {
    trace::Recorder recorder(options(file));
    recorder.begin_step(1);
    const float x = 5;
    const std::string op = "attn@0:aten::attention:";
    recorder.tensor(first.phase, op + "in.query", {DType::float32, {1}, &x});
    if (mask)
      recorder.tensor(first.phase, op + "in.mask", {DType::float32, {1}, &x});
    if (scale)
      recorder.tensor(first.phase, op + "in.scale", {DType::float64, {}, &*scale});
    recorder.tensor(first.phase, op + "out.0", {DType::float32, {1}, &y});
    recorder.tensor(first.phase, "attn", {DType::float32, {1}, &y});
    recorder.end_step();
    recorder.finish();
    return trace::Trace::open(folder / file);
  };
  const auto text = [&](const trace::Trace& good, const trace::Trace& bad) {
    const auto guilty = find_first_bad_operator(good, bad, first, 0);
    return guilty ? guilty->text() : "";
  };
  const trace::Trace plain = record("a.h5", std::nullopt, false, 1), scaled = record("b.h5", 0.2, false, 2);
  EXPECT_EQ(text(plain, scaled),
            "aten::attention of attn receives a different scale: its default against 0.2");
  EXPECT_EQ(text(scaled, plain),
            "aten::attention of attn receives a different scale: 0.2 against its default");
  EXPECT_EQ(text(plain, record("c.h5", std::nullopt, true, 2)),
            "aten::attention of attn receives a different mask: its default against a tensor");
}

TEST_F(FirstBadOperatorTest, OtherOperatorsInOnesPlaceAreNamed) {
  std::vector<Offer> other = step_of_model();
  other[1].name = "layers.1@0:aten::addmm:in.self";
  other[2].name = "layers.1@0:aten::addmm:out.0";
  change(other, trace::Phase::forward, "layers.1", 2);
  const auto guilty =
      find_first_bad_operator(healthy(), trace("b.h5", other), {2, trace::Phase::forward, "layers.1"}, 0);
  ASSERT_TRUE(guilty);
  EXPECT_EQ(guilty->text(),
            "the sides run different operators from here: aten::mm of layers.1 against aten::addmm");
}

TEST_F(FirstBadOperatorTest, OtherOperatorsElsewhere_AreNoCause) {
  std::vector<Offer> other = step_of_model();
  other[1].name = "layers.1@0:aten::addmm:in.self";
  other[2].name = "layers.1@0:aten::addmm:out.0";
  change(other, trace::Phase::backward, "layers.0", 2);
  EXPECT_FALSE(
      find_first_bad_operator(healthy(), trace("b.h5", other), {2, trace::Phase::backward, "layers.0"}, 0));
}

TEST_F(FirstBadOperatorTest, OperatorThatOneSideRunsMore_IsNamed_WhateverItsNumber) {
  const trace::TensorKey first{2, trace::Phase::forward, "norm"};
  const auto mul = [](int number, float self, float other) {
    const std::string name = fmt::format("norm@{}:aten::mul:", number);
    return std::vector<Offer>{{trace::Phase::forward, name + "in.self", {self, 2 * self}},
                              {trace::Phase::forward, name + "in.other", {other, other}},
                              {trace::Phase::forward, name + "out.0", {self * other, 2 * self * other}}};
  };
  const auto record = [&](const std::string& file, const std::vector<std::vector<Offer>>& calls,
                          float result) {
    std::vector<Offer> offers;
    for (const auto& call : calls)
      offers.insert(offers.end(), call.begin(), call.end());
    offers.push_back({trace::Phase::forward, "norm", {result, 2 * result}});
    return trace(file, offers);
  };
  const trace::Trace good = record("a.h5", {mul(0, 1, 3), mul(1, 3, 5)}, 15);
  const struct {
    const char* what;
    std::vector<std::vector<Offer>> calls;
    float result;
    const char* text;
  } rows[] = {
      {"before",
       {mul(0, 1, 2), mul(1, 2, 3), mul(2, 6, 5)},
       30,
       "only the second side runs aten::mul of norm"},
      {"between",
       {mul(0, 1, 3), mul(1, 3, 2), mul(2, 6, 5)},
       30,
       "only the second side runs aten::mul of norm"},
      {"after",
       {mul(0, 1, 3), mul(1, 3, 5), mul(2, 15, 2)},
       30,
       "only the second side runs aten::mul of norm"},
      {"harmless, then a wrong result",
       {mul(0, 1, 1), mul(1, 1, 3), mul(2, 3, 7)},
       21,
       "aten::mul of norm receives a different other, which no earlier operator computed"},
      {"one less", {mul(0, 1, 5)}, 5, "only the first side runs aten::mul of norm"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.what);
    const auto guilty = find_first_bad_operator(good, record("b.h5", row.calls, row.result), first, 0);
    ASSERT_TRUE(guilty);
    EXPECT_EQ(guilty->text(), row.text);
  }
  EXPECT_FALSE(
      find_first_bad_operator(good, record("c.h5", {mul(0, 1, 1), mul(1, 1, 3), mul(2, 3, 5)}, 16), first, 0))
      << "a harmless operator more, and a tensor that none of them computed";
}

TEST_F(FirstBadOperatorTest, AfterTheTensorNoOperatorIsGuilty) {
  std::vector<Offer> off = step_of_model();
  change(off, trace::Phase::forward, "layers.0", 2);
  change(off, trace::Phase::forward, "layers.1@0:aten::mm:in.self", 2);
  EXPECT_FALSE(
      find_first_bad_operator(healthy(), trace("b.h5", off), {2, trace::Phase::forward, "layers.0"}, 0));
}

TEST_F(FirstBadOperatorTest, WatchedOperators_LieBetweenAgreeingAndNot) {
  const auto rule = operators_to_watch({3, trace::Phase::backward, "layers.1.attention.wq"},
                                       trace::TensorKey{3, trace::Phase::backward, "layers.1.ffn_norm"});
  ASSERT_TRUE(rule);
  for (const char* module :
       {"layers", "layers.1", "layers.1.attention", "layers.1.attention.wq", "layers.1.ffn_norm", "loss"})
    EXPECT_TRUE(rule->covers(3, trace::Phase::backward, module)) << module;
  EXPECT_FALSE(rule->covers(3, trace::Phase::backward, "layers.0"));
  EXPECT_FALSE(rule->covers(2, trace::Phase::backward, "layers.1"));
  EXPECT_TRUE(operators_to_watch({1, trace::Phase::grad, "layers.0.wq.weight"}, {})
                  ->covers(1, trace::Phase::backward, "layers.0.wq"));
  EXPECT_FALSE(operators_to_watch({0, trace::Phase::param, "norm.weight"}, {}));
  EXPECT_FALSE(operators_to_watch({1, trace::Phase::input, "tokens"}, {}));
}

}  // namespace
}  // namespace parity::bisect
