// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/format/operator_tensor.hpp"

#include <gtest/gtest.h>

namespace parity::trace {
namespace {

TEST(OperatorTensorTest, ANameIsReadAsItWasMade) {
  const OperatorTensor one = {"layers.0.attention.wq", 3, "aten::mm", "out.0", std::nullopt};
  EXPECT_EQ(one.name(), "layers.0.attention.wq@3:aten::mm:out.0");
  const auto read = parse_operator_tensor(one.name());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->module, "layers.0.attention.wq");
  EXPECT_EQ(read->number, 3);
  EXPECT_EQ(read->op, "aten::mm");
  EXPECT_EQ(read->slot, "out.0");
  EXPECT_TRUE(read->is_output());
  EXPECT_FALSE(read->rank);
  const OperatorTensor other = {"loss", 12, "aten::_foreach_norm", "in.self[4]", 2};
  const auto again = parse_operator_tensor(other.name());
  ASSERT_TRUE(again);
  EXPECT_EQ(again->rank, 2);
  EXPECT_EQ(again->slot, "in.self[4]");
  EXPECT_FALSE(again->is_output());
}

TEST(OperatorTensorTest, OtherNamesAreNone) {
  for (const char* name : {"layers.0.attention.wq.weight", "a@b", "a@1:mm", "a@x:aten::mm:out.0",
                           "a@1:aten::mm:out.0#x", "a@-1:aten::mm:out.0", ""})
    EXPECT_FALSE(parse_operator_tensor(name)) << name;
}

}  // namespace
}  // namespace parity::trace
