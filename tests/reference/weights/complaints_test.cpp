// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/weights/complaints.hpp"

#include <gtest/gtest.h>

namespace parity::reference {
namespace {

TEST(ComplaintsTest, TellEachKindAtOnceWithTheNearestName) {
  Complaints complaints;
  EXPECT_TRUE(complaints.empty());
  complaints.missing = {"layers.0.wq.weight", "layers.1.wq.weight"};
  complaints.extra = {"layers.0.wqq.weight"};
  complaints.shapes = {"'norm' is (2), the model has (3)"};
  EXPECT_FALSE(complaints.empty());
  EXPECT_EQ(
      complaints.text({"layers.0.wq.weight", "layers.0.wqv.weight", "norm"}),
      "2 names are missing: 'layers.0.wq.weight', 'layers.1.wq.weight'; 1 name matches no weight: "
      "'layers.0.wqq.weight' (did you mean 'layers.0.wq.weight'?); 1 tensor has another shape: 'norm' is "
      "(2), the model has (3)");
}

TEST(ComplaintsTest, LongListsAreCounted) {
  Complaints complaints;
  for (int i = 0; i < 100; ++i)
    complaints.missing.push_back(std::to_string(i));
  EXPECT_EQ(complaints.text({}), "100 names are missing: '0', '1', '2', '3', '4', '5' and 94 more");
}

}  // namespace
}  // namespace parity::reference
