// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/reveal/draw.hpp"

#include <gmock/gmock.h>

#include "tests/harness/reveal/summing.hpp"

namespace parity::reveal {
namespace {

TEST(DrawTest, ASmallTreeIsDrawn) {
  SummationTree tree(3);
  tree.root = tree.add({tree.add({0, 2}), 1});
  EXPECT_EQ(draw(tree), "+\n├ +\n│ ├ 0\n│ └ 2\n└ 1\n");
  EXPECT_EQ(draw(random_tree(41, 1)), "");
}

TEST(DrawTest, APictureHasEachSum) {
  const std::string picture = draw_svg(random_tree(70, 1));
  EXPECT_THAT(picture, testing::StartsWith("<svg xmlns="));
  size_t dots = 0;
  for (size_t at = picture.find("<circle"); at != std::string::npos; at = picture.find("<circle", at + 1))
    ++dots;
  EXPECT_EQ(dots, random_tree(70, 1).bottom_up().size());
  EXPECT_EQ(picture.find("nan"), std::string::npos);
}

}  // namespace
}  // namespace parity::reveal
