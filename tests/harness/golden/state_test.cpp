// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/golden/state.hpp"

#include <gmock/gmock.h>

#include "tests/support/traces/golden_runs.hpp"

namespace parity::golden {
namespace {

using testing::HasSubstr;

class GoldenStateTest : public GoldenTest {
 protected:
  const std::vector<std::string> both = {"one_indexed", "zero_indexed"};
  GoldenState state(const std::vector<std::string>& names) const { return golden_state(file, names).state; }
};

TEST_F(GoldenStateTest, TellsWhatIsThereFromWhatIsNot) {
  EXPECT_EQ(state({}), GoldenState::none);
  EXPECT_EQ(state(both), GoldenState::missing);
  record();
  EXPECT_EQ(state(both), GoldenState::stored);
  EXPECT_EQ(golden_state(file, both).sentence, "");
}

TEST_F(GoldenStateTest, ComparesTheArmsWithTheCases) {
  record();
  EXPECT_EQ(state({"one_indexed"}), GoldenState::unused);
  EXPECT_THAT(golden_state(file, {"one_indexed"}).sentence, HasSubstr("'zero_indexed'"));
  EXPECT_EQ(state({"one_indexed", "third", "zero_indexed"}), GoldenState::incomplete);
  EXPECT_EQ(state({}), GoldenState::unused);
}

TEST_F(GoldenStateTest, TellsAnotherSchemaFromDamage) {
  record();
  const std::string bytes = read_file(file);
  edit("f.attrs['schema'] = 'parity.golden/2.0'");
  EXPECT_EQ(state(both), GoldenState::other_schema);
  edit("f.attrs['schema'] = 'parity.trace/1.0'");
  EXPECT_EQ(state(both), GoldenState::corrupt);
  write_file(file, bytes.substr(0, 100));
  EXPECT_EQ(state(both), GoldenState::corrupt);
  write_file(file, bytes);
  edit("f['arms/one_indexed/channels/loss'][2] = 7.25");
  EXPECT_EQ(state(both), GoldenState::corrupt);
}

}  // namespace
}  // namespace parity::golden
