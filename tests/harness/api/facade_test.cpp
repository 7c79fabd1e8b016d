// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include <gmock/gmock.h>

#include "harness/api/include/parity/difference.hpp"
#include "harness/api/include/parity/digest.hpp"
#include "harness/api/include/parity/judge.hpp"
#include "harness/api/include/parity/sketch.hpp"
#include "harness/api/include/parity/trace.hpp"
#include "harness/compare/checks/check.hpp"
#include "harness/compare/checks/verdict.hpp"
#include "harness/measure/difference/measure_difference.hpp"
#include "tests/support/traces/recorded.hpp"

namespace parity {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Returns the message of the api::Error that `work` throws.
template <class Work>
std::string error_of_api(const Work& work, int status = 2) {
  try {
    work();
  } catch (const api::Error& error) {
    EXPECT_EQ(error.status(), status);
    return error.what();
  }
  ADD_FAILURE() << "no api::Error";
  return "";
}

api::TensorView outside(const std::vector<float>& values) {
  return {api::DType::float32, {static_cast<int64_t>(values.size())}, values.data()};
}

class FacadeTest : public RecordedTest {
 protected:
  /// A run of two steps whose loss is `loss` and half of it.
  api::Trace recorded(const std::string& file, double loss) const {
    trace::Recorder recorder(options(file));
    for (int64_t step = 1; step <= 2; ++step) {
      recorder.begin_step(step);
      recorder.channel("loss", loss / static_cast<double>(step));
      recorder.channel("tokens", int64_t{7});
      const std::vector<float> values = {static_cast<float>(loss), 2, 3};
      recorder.tensor(trace::Phase::grad, "w", view_of(DType::float32, values, {3}));
      recorder.end_step();
    }
    recorder.finish();
    return api::Trace::open((folder / file).string());
  }

  static api::Check of_loss(api::Relation relation = api::Relation::identical) {
    api::Check check;
    check.channels = {"loss"};
    check.arms = {"a", "b"};
    check.relation = relation;
    return check;
  }
};

TEST(FacadeNames, EveryEnum_HasTheNamesOfTheTree) {
  for (size_t i = 0; i < EnumNames<DType>::names.size(); ++i) {
    EXPECT_EQ(name_of(static_cast<api::DType>(i)), EnumNames<DType>::names[i]);
    EXPECT_EQ(api::dtype_named(EnumNames<DType>::names[i]), static_cast<api::DType>(i));
    EXPECT_EQ(size_of(static_cast<api::DType>(i)), size_of(static_cast<DType>(i)));
  }
  for (size_t i = 0; i < EnumNames<trace::Phase>::names.size(); ++i) {
    EXPECT_EQ(name_of(static_cast<api::Phase>(i)), EnumNames<trace::Phase>::names[i]);
    EXPECT_EQ(api::phase_named(EnumNames<trace::Phase>::names[i]), static_cast<api::Phase>(i));
  }
  for (size_t i = 0; i < EnumNames<compare::Verdict>::names.size(); ++i)
    EXPECT_EQ(name_of(static_cast<api::Verdict>(i)), EnumNames<compare::Verdict>::names[i]);
  for (size_t i = 0; i < EnumNames<compare::Relation>::names.size(); ++i)
    EXPECT_EQ(api::relation_named(name_of(static_cast<api::Relation>(i))), static_cast<api::Relation>(i));
  EXPECT_THAT(error_of_api([] { api::phase_named("gard"); }), HasSubstr("did you mean 'grad'"));
}

TEST_F(FacadeTest, Trace_Opened_ShowsWhatWasRecorded) {
  const api::Trace trace = recorded("trace.h5", 4);
  EXPECT_TRUE(trace.complete());
  EXPECT_EQ(trace.ranks(), 1);
  EXPECT_EQ(trace.last_step(), 2);
  EXPECT_THAT(trace.steps(), ElementsAre(1, 2));
  EXPECT_EQ(Json::parse(trace.config()), Json({{"steps", 2}}));
  EXPECT_EQ(trace.faults(), "[]");
  EXPECT_FALSE(trace.failure());
  ASSERT_EQ(trace.channels().size(), 2);
  EXPECT_THAT(trace.channel("loss")->as_double(), ElementsAre(4, 2));
  EXPECT_THAT(std::get<std::vector<int64_t>>(trace.channel("tokens")->values), ElementsAre(7, 7));
  EXPECT_FALSE(trace.channel("none"));
  const api::TensorKey w = {2, api::Phase::grad, "w"};
  ASSERT_TRUE(trace.has_tensor(w));
  const api::TensorView view = trace.tensor(w);
  EXPECT_EQ(view.at(2), 3);
  EXPECT_EQ(view.bytes(), 12);
  EXPECT_EQ(trace.sketch(w)->digest, api::digest_of(view));
  EXPECT_EQ(trace.sketch(w)->values, api::sketch_of(view));
  EXPECT_EQ(trace.sketch(w)->norm, api::statistics_of(view).norm);
  EXPECT_THAT(error_of_api([&] { (void)view.at(3); }), HasSubstr("element 3"));
  EXPECT_THAT(error_of_api([&] { (void)trace.tensor({9, api::Phase::grad, "w"}); }, 3), HasSubstr("w"));
}

TEST_F(FacadeTest, Trace_NotThere_Status3) {
  EXPECT_THAT(error_of_api([&] { api::Trace::open((folder / "none.h5").string()); }, 3),
              HasSubstr("none.h5"));
}

TEST(FacadeMeasure, Difference_IsThatOfTheTree) {
  const std::vector<float> a = {1, -0.0F, 3, std::numeric_limits<float>::quiet_NaN()};
  const std::vector<float> b = {1, 0.0F, 3.5F, std::numeric_limits<float>::quiet_NaN()};
  const api::Difference found = api::difference_of(outside(a), outside(b));
  const measure::Difference expected =
      measure::measure_difference({DType::float32, {4}, a.data()}, {DType::float32, {4}, b.data()});
  EXPECT_EQ(found.differing, 3);
  EXPECT_EQ(found.differing, expected.differing);
  EXPECT_EQ(found.worst_index, expected.worst_index);
  const api::Difference relaxed =
      api::difference_of(outside(a), outside(b),
                         {.nan_equals_nan = true, .zero_sign_ignored = true, .subnormals_as_zero = false});
  EXPECT_EQ(relaxed.differing, 1);
  EXPECT_EQ(relaxed.max_abs_error, 0.5);
  EXPECT_EQ(relaxed.worst_index, 2);
  api::TensorView doubles = outside(b);
  doubles.dtype = api::DType::int32;
  EXPECT_THAT(error_of_api([&] { api::difference_of(outside(a), doubles); }),
              HasSubstr("float32 against int32"));
  EXPECT_THAT(error_of_api([&] { api::difference_of(outside(a), outside({1, 2})); }), HasSubstr("shape"));
}

TEST(FacadeMeasure, SketchDistance_OfOneElement_IsExact) {
  const std::vector<double> x = api::sketch_of(outside({1, 2, 3})), r = api::sketch_of(outside({1, 2, 7}));
  EXPECT_EQ(api::sketch_distance(x, r), 4);
  EXPECT_THAT(error_of_api([&] { api::sketch_distance(x, {1}); }), HasSubstr("1 sums"));
}

TEST_F(FacadeTest, Judge_EqualRuns_Identical) {
  const api::Trace a = recorded("a.h5", 4), b = recorded("b.h5", 4);
  const api::CheckResult result = api::judge(of_loss(), {{"a", {.trace = &a}}, {"b", {.trace = &b}}});
  EXPECT_TRUE(result.passed);
  EXPECT_EQ(result.verdict, api::Verdict::identical);
  EXPECT_FALSE(result.worst);
  EXPECT_THAT(result.coverage, HasSubstr("steps 1-2"));
}

TEST_F(FacadeTest, Judge_OtherTensor_NamesItsElement) {
  const api::Trace a = recorded("a.h5", 4), b = recorded("b.h5", 5);
  api::Check check = of_loss();
  check.channels.clear();
  check.tensor = "w";
  check.phase = api::Phase::grad;
  const api::CheckResult result = api::judge(check, {{"a", {.trace = &a}}, {"b", {.trace = &b}}});
  EXPECT_FALSE(result.passed);
  EXPECT_EQ(result.verdict, api::Verdict::different);
  ASSERT_TRUE(result.worst);
  EXPECT_EQ(result.worst->quantity, "w");
  EXPECT_THAT(result.worst->index, ElementsAre(0));
  EXPECT_EQ(result.worst->expected, 4);
  EXPECT_EQ(result.worst->actual, 5);
  ASSERT_EQ(result.tensors.size(), 2);
  EXPECT_EQ(result.tensors[0].key, (api::TensorKey{1, api::Phase::grad, "w"}));
  EXPECT_FALSE(result.tensors[0].identical);
  EXPECT_GT(result.tensors[0].max_ulp.value(), 0);
}

TEST_F(FacadeTest, Judge_WithFloors_BoundsTheGap) {
  const api::Trace a = recorded("a.h5", 4), b = recorded("b.h5", 4.5), far = recorded("far.h5", 8);
  const std::vector<api::Floor> floors = {{"loss", 1, 4, 0.25}, {"loss", 2, 2, 0.25}};
  const auto judged = [&](const api::Trace& other) {
    return api::judge(of_loss(api::Relation::bounded),
                      {{"a", {.trace = &a, .floors = floors}}, {"b", {.trace = &other, .floors = floors}}});
  };
  const api::CheckResult near = judged(b);
  EXPECT_TRUE(near.passed) << near.sentence;
  ASSERT_EQ(near.bounds.size(), 1);
  EXPECT_EQ(near.bounds[0].channel, "loss");
  EXPECT_THAT(near.bounds[0].gap, ElementsAre(0.5, 0.25));
  EXPECT_EQ(near.bounds[0].limit.size(), 2);
  EXPECT_FALSE(judged(far).passed);
  const api::CheckResult without =
      api::judge(of_loss(api::Relation::bounded), {{"a", {.trace = &a}}, {"b", {.trace = &b}}});
  EXPECT_EQ(without.verdict, api::Verdict::missing) << without.sentence;
}

TEST_F(FacadeTest, Judge_ArmMissing_VerdictMissing) {
  const api::Trace a = recorded("a.h5", 4);
  EXPECT_EQ(api::judge(of_loss(), {{"a", {.trace = &a}}}).verdict, api::Verdict::missing);
  EXPECT_EQ(api::judge(of_loss(), {{"a", {.trace = &a}}, {"b", {.crashed = true}}}).verdict,
            api::Verdict::crashed);
}

TEST_F(FacadeTest, Judge_Lawful_AsksLawsOfOneTrace) {
  const api::Trace a = recorded("a.h5", 4);
  api::Check check;
  check.relation = api::Relation::lawful;
  check.arms = {"a"};
  check.laws = {"clip"};
  const api::CheckResult result = api::judge(check, {{"a", {.trace = &a}}});
  EXPECT_EQ(result.verdict, api::Verdict::missing);
  EXPECT_THAT(result.sentence, HasSubstr("law clip was not asked of a"));
}

TEST_F(FacadeTest, Judge_Repeats_ComparesEveryRun) {
  const api::Trace a = recorded("a.h5", 4), same = recorded("same.h5", 4), other = recorded("other.h5", 5);
  api::Check check;
  check.relation = api::Relation::repeats;
  check.arms = {"a", "same"};
  const std::map<std::string, api::Arm> arms = {
      {"a", {.trace = &a}}, {"same", {.trace = &same}}, {"other", {.trace = &other}}};
  EXPECT_EQ(api::judge(check, arms).verdict, api::Verdict::identical) << api::judge(check, arms).sentence;
  check.arms.push_back("other");
  EXPECT_EQ(api::judge(check, arms).verdict, api::Verdict::different);
  check.arms.push_back("gone");
  EXPECT_EQ(api::judge(check, arms).verdict, api::Verdict::missing);
  check.arms = {"a"};
  EXPECT_THAT(error_of_api([&] { api::judge(check, arms); }), HasSubstr("two or more different runs"));
}

TEST_F(FacadeTest, Judge_CheckContradicts_IsRefused) {
  const auto refused = [](const auto& change) {
    api::Check check = of_loss();
    change(check);
    return error_of_api([&] { api::judge(check, {}); });
  };
  using api::Check;
  EXPECT_THAT(refused([](Check& c) { c.tensor = "w"; }), HasSubstr("both channels and a tensor"));
  EXPECT_THAT(refused([](Check& c) { c.arms = {"a", "a"}; }), HasSubstr("the same"));
  EXPECT_THAT(refused([](Check& c) { c.arms = {"a"}; }), HasSubstr("takes 2 arms"));
  EXPECT_THAT(refused([](Check& c) { c.tolerance = 0.1; }), HasSubstr("a tolerance belongs to bounded"));
  EXPECT_THAT(refused([](Check& c) { c.steps = {api::StepWindow::Kind::range, 3, 2}; }),
              HasSubstr("range of steps"));
  EXPECT_THAT(refused([](Check& c) { c.relation = api::Relation::no_farther; }), HasSubstr("sibling"));
  EXPECT_THAT(refused([](Check& c) { c.laws = {"clip"}; }), HasSubstr("a law belongs to lawful"));
  EXPECT_THAT(refused([](Check& c) { c.relation = api::Relation::lawful; }), HasSubstr("a run as a whole"));
  EXPECT_THAT(refused([](Check& c) {
                c.relation = api::Relation::equivalent;
                c.precision = api::DType::int8;
              }),
              HasSubstr("neither bfloat16 nor float16"));
}

}  // namespace
}  // namespace parity
