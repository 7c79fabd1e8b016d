// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/operators/problem/problem.hpp"

#include <gtest/gtest.h>

#include "harness/base/error.hpp"

namespace parity::operators {
namespace {

Problem usual_problem() {
  Problem problem;
  Input x{"x"}, labels{"labels"}, eps{"eps"};
  x.tensors.push_back({{{0, "b"}, {256}}, ValueKind::heavy_tailed, 2, 1, true});
  x.tensors.push_back({{{7}}});
  x.list = true;
  labels.tensors.push_back({{{0, "b"}}, ValueKind::integers});
  labels.tensors.front().dtype = DType::int64;
  labels.tensors.front().high = {0, "v"};
  labels.tensors.front().ignored = -100;
  eps.value = 1e-6;
  problem.inputs = {x, labels, eps};
  problem.outputs = {"y"};
  problem.points = {{{{"b", 1}, {"v", 10}}, DType::float32}, {{{"b", 9}, {"v", 10}}, DType::bfloat16}};
  problem.batch = "b";
  return problem;
}

TEST(ProblemTest, RoundTripsThroughJson) {
  const Json json = usual_problem().to_json();
  EXPECT_EQ(Problem::from_json(json).to_json(), json);
  EXPECT_EQ(json["points"][1]["sizes"]["b"], 9);
}

TEST(ProblemTest, RefusesDamagedJson) {
  for (const char* member : {"inputs", "points", "outputs"}) {
    Json json = usual_problem().to_json();
    json.erase(member);
    EXPECT_THROW(Problem::from_json(json), UserError) << member;
  }
  EXPECT_THROW(Problem::from_json(Json()), UserError);
}

TEST(ProblemTest, PointsInWords) {
  EXPECT_EQ(usual_problem().points[1].text(), "b = 9, v = 10, bfloat16");
  EXPECT_THROW(usual_problem().points[0].value({0, "s"}), UserError);
}

TEST(ProblemTest, LargestPointCountsCopies) {
  const LargestPoint largest = largest_point(usual_problem());
  EXPECT_EQ(largest.point, 1U);
  EXPECT_EQ(largest.bytes, 9 * 256 * (2 + 8) * 2 + 7 * (2 + 8) + 9 * (8 + 8));
}

TEST(ProblemTest, ResolvesSymbolsInValues) {
  const Point point = usual_problem().points[0];
  EXPECT_EQ(resolved_value(Json::array({"b", 256}), point), Json::array({1, 256}));
  EXPECT_EQ(resolved_value("mean", point), "mean");
}

}  // namespace
}  // namespace parity::operators
