// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/comm/texts.hpp"

#include <gmock/gmock.h>

#include "tests/support/ranks.hpp"

namespace parity::reference {
namespace {

using testing::Each;

class TextsTest : public RanksTest {};

TEST_F(TextsTest, Broadcast_GivesTheTextOfItsRoot) {
  for (const std::string& text : {std::string("one rank's text"), std::string(), std::string("a\0b", 3)})
    EXPECT_THAT(run_ranks(2,
                          [&](Group& world) {
                            const std::string own = world.rank() == 1 ? text : "another, and longer one";
                            if (broadcast_text(own, world, 1) != text)
                              throw std::runtime_error("another text");
                          }),
                Each(""));
}

TEST_F(TextsTest, Gather_GivesEachRanksText) {
  for (const std::vector<std::string>& texts :
       {std::vector<std::string>{"", "xy"}, std::vector<std::string>{"", ""},
        std::vector<std::string>{std::string("a\0b", 3), "c"}})
    EXPECT_THAT(run_ranks(2,
                          [&](Group& world) {
                            const std::string& own = texts.at(static_cast<size_t>(world.rank()));
                            if (gather_texts(own, world) != texts)
                              throw std::runtime_error("other texts");
                          }),
                Each(""));
}

}  // namespace
}  // namespace parity::reference
