// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/results/file/earlier.hpp"

#include <gmock/gmock.h>

#include "harness/base/files/file.hpp"
#include "harness/base/json/json.hpp"
#include "harness/suite/results/file/merge.hpp"
#include "harness/suite/results/file/writer.hpp"
#include "tests/support/scratch.hpp"

namespace parity::suite {
namespace {
namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

class EarlierReportTest : public FolderTest {
 protected:
  /// Writes OUT/results.json with these cases.
  void write(const std::string& started, const std::vector<std::string>& names) const {
    Json cases = Json::array();
    for (const std::string& name : names)
      cases.push_back({{"name", name},
                       {"file", name + ".toml"},
                       {"passed", true},
                       {"verdict", "identical"},
                       {"arms", {{{"name", "a"}, {"status", "complete"}, {"trace", "runs/1/trace.h5"}}}},
                       {"checks", Json::array()}});
    write_file(folder / "results.json", Json({{"schema", "parity.results/2"},
                                              {"started", started},
                                              {"summary", Json::object()},
                                              {"cases", cases}})
                                            .dump());
  }
  static std::string key_of(const std::string& name, const std::vector<std::string>& settings = {}) {
    results::Case item;
    item.name = name;
    item.settings = settings;
    return row_key(item);
  }
  std::optional<EarlierReport> keep(const std::set<std::string>& names) const {
    std::set<std::string> keys;
    for (const std::string& name : names)
      keys.insert(key_of(name));
    return keep_earlier_report(keys, folder);
  }
  std::vector<std::string> kept() const {
    std::vector<std::string> names;
    std::error_code none;
    for (fs::directory_iterator at(folder / "earlier", none), end; !none && at != end; ++at)
      names.push_back(at->path().filename().string());
    std::ranges::sort(names);
    return names;
  }
};

TEST_F(EarlierReportTest, ReportOfMoreCases_IsKept) {
  write("2026-01-01T10:00:00Z", {"lr/a", "lr/b"});
  const auto earlier = keep({"lr/a"});
  ASSERT_TRUE(earlier);
  EXPECT_EQ(earlier->cases, 2U);
  EXPECT_EQ(earlier->folder, folder / "earlier/2026-01-01T10-00-00Z");
  const Json copy = Json::parse(read_file(earlier->folder / "results.json"));
  EXPECT_EQ(copy.at("cases").size(), 2U);
  EXPECT_EQ(copy.at("cases")[0].at("arms")[0].at("trace"), "../../runs/1/trace.h5");
}

TEST_F(EarlierReportTest, SameCases_AreReplaced) {
  write("2026-01-01T10:00:00Z", {"lr/a", "lr/b"});
  EXPECT_FALSE(keep({"lr/a", "lr/b", "lr/c"}));
  EXPECT_THAT(kept(), IsEmpty());
}

TEST_F(EarlierReportTest, RowsThatTheFileNames_AreNotReadAgain) {
  write("2026-01-01T10:00:00Z", {"lr/a"});
  merge_results({folder}, folder / "again");
  const Json written = Json::parse(read_file(folder / "again/results.json"));
  EXPECT_EQ(written.at("rows"), Json({key_of("lr/a")}));
  Json other = written;
  other["rows"] = {key_of("lr/a"), key_of("lr/b")};
  write_file(folder / "results.json", other.dump());
  const auto earlier = keep({"lr/a"});
  ASSERT_TRUE(earlier);
  EXPECT_EQ(earlier->cases, 2U);
}

TEST_F(EarlierReportTest, DamagedCase_DoesNotEndTheRun) {
  write_file(folder / "results.json", R"({"schema": "parity.results/2", "summary": {}, "rows": ["lr/a "],
                                         "cases": [{"name": 1}]})");
  EXPECT_FALSE(keep({"lr/b"}));
  EXPECT_THAT(kept(), IsEmpty());
}

TEST_F(EarlierReportTest, CaseWithOtherSettings_IsAnotherRow) {
  write("2026-01-01T10:00:00Z", {"lr/a"});
  EXPECT_TRUE(keep_earlier_report({key_of("lr/a", {"steps=3"})}, folder));
}

TEST_F(EarlierReportTest, RowsThatAreNewerElsewhere_AreDropped) {
  write("2026-01-01T10:00:00Z", {"a", "b", "c"});
  keep({"a"});
  write("2026-01-01T11:00:00Z", {"a"});
  keep({"b"});
  write("2026-01-01T12:00:00Z", {"b"});
  keep({"a"});
  EXPECT_THAT(kept(), ElementsAre("2026-01-01T10-00-00Z", "2026-01-01T12-00-00Z"));
}

TEST_F(EarlierReportTest, OutsideName_StaysBelowTheFolder) {
  write("../../../elsewhere", {"a"});
  const auto earlier = keep({"b"});
  ASSERT_TRUE(earlier);
  EXPECT_EQ(earlier->folder.parent_path(), folder / "earlier");
}

TEST_F(EarlierReportTest, FolderWithoutResults_KeepsNothing) {
  EXPECT_FALSE(keep({"a"}));
  write_file(folder / "results.json", "{");
  EXPECT_FALSE(keep({"a"}));
}

}  // namespace
}  // namespace parity::suite
