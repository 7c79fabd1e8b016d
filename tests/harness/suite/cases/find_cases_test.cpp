// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/cases/find_cases.hpp"

#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "harness/suite/cases/read/file.hpp"
#include "tests/support/scratch.hpp"

namespace parity::suite {
namespace {
namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

/// Links below the folder of cases.
class FindCasesTest : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    write_file(cases / "plain/a.toml", "");
    write_file(repository / "shared/b.toml", "");
  }
  std::vector<std::string> found() const {
    std::vector<std::string> names;
    for (const fs::path& file : find_case_files({}, cases))
      names.push_back(file.lexically_relative(cases).string());
    return names;
  }

  const fs::path repository = folder / "repository";
  const fs::path cases = repository / "cases";
};

TEST_F(FindCasesTest, ALinkWithinTheRepository_IsFollowed) {
  fs::create_directory_symlink("../shared", cases / "linked");
  EXPECT_THAT(found(), ElementsAre("linked/b.toml", "plain/a.toml"));
}

TEST_F(FindCasesTest, ALinkOutOfTheRepository_IsRefused) {
  write_file(folder / "elsewhere/c.toml", "");
  fs::create_directory_symlink(folder / "elsewhere", cases / "linked");
  EXPECT_THAT([&] { found(); },
              ThrowsMessage<UserError>(AllOf(HasSubstr("cases/linked"), HasSubstr("to a folder outside"))));
}

TEST_F(FindCasesTest, ALoop_IsRefused) {
  fs::create_directory_symlink("..", cases / "plain/up");
  EXPECT_THAT([&] { found(); }, ThrowsMessage<UserError>(HasSubstr("to a folder that contains it")));
}

TEST_F(FindCasesTest, ALoopOfTwoLinks_IsRefused) {
  fs::create_directories(repository / "other");
  fs::create_directory_symlink("../../other", cases / "plain/over");
  fs::create_directory_symlink("../cases/plain", repository / "other/back");
  EXPECT_THAT([&] { found(); }, ThrowsMessage<UserError>(HasSubstr("to a folder that contains it")));
}

TEST_F(FindCasesTest, ALinkThatLeadsNowhere_IsRefused) {
  fs::create_symlink("gone", cases / "topic");
  EXPECT_THAT([&] { found(); }, ThrowsMessage<UserError>(HasSubstr("target does not exist")));
  fs::remove(cases / "topic");
  fs::create_symlink("gone.toml", cases / "b.toml");
  EXPECT_THAT([&] { found(); }, ThrowsMessage<UserError>(HasSubstr("target is not a file")));
}

TEST_F(FindCasesTest, OneFileNamedTwice_IsOneCase) {
  const std::string file = (cases / "plain/a.toml").string();
  EXPECT_EQ(find_case_files({{file, fs::relative(file).string()}, {}}, cases).size(), 1U);
}

TEST_F(FindCasesTest, AFileThatIsNotToml_IsRefused) {
  write_file(cases / "plain/a.txt", "");
  EXPECT_THAT([&] { find_case_files({{(cases / "plain/a.txt").string()}, {}}, cases); },
              ThrowsMessage<UserError>(HasSubstr("must end in .toml")));
}

TEST_F(FindCasesTest, TwoCasesOfOneGolden_AreRefused) {
  write_file(repository / "a.toml", "");
  write_file(cases / "a.toml", "");
  EXPECT_THAT([&] { read_case(repository / "a.toml"); },
              ThrowsMessage<UserError>(AllOf(HasSubstr("golden/a.h5"), HasSubstr("cases/a.toml"))));
}

TEST_F(FindCasesTest, AnEditorsLock_IsNoCase) {
  fs::create_symlink("somebody@host.123", cases / "plain/.#a.toml");
  EXPECT_THAT(found(), ElementsAre("plain/a.toml"));
}

}  // namespace
}  // namespace parity::suite
