// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "tests/reports/sample.hpp"
#include "tests/support/scratch.hpp"

namespace parity::reports {
namespace {

class EqualFailuresTest : public FolderTest {
 protected:
  /// Returns the page of results in which one case is repeated under other names.
  std::string page_with_copies(size_t place, const std::vector<std::string>& names) const {
    Json all = sample_json();
    const Json copied = all.at("cases").at(place);
    all["cases"] = Json::array();
    for (const std::string& name : names) {
      all["cases"].push_back(copied);
      all["cases"].back()["name"] = name;
    }
    write_file(folder / "results.json", all.dump());
    return as("html", load_results(folder / "results.json"));
  }
};

TEST_F(EqualFailuresTest, OneFailureOfManyCases_HasOneRow) {
  const std::string page = page_with_copies(3, {"lr/a", "lr/b", "lr/c"});
  EXPECT_THAT(page, testing::HasSubstr("also in 2 more cases: lr/b, lr/c"));
}

TEST_F(EqualFailuresTest, OneCase_NamesNoOther) {
  EXPECT_THAT(page_with_copies(3, {"lr/a"}), testing::Not(testing::HasSubstr("class=\"said muted\"")));
}

}  // namespace
}  // namespace parity::reports
