// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/slurm/site.hpp"

#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "tests/support/scratch.hpp"

namespace parity::suite {
namespace {
using testing::HasSubstr;

class SiteTest : public FolderTest {
 protected:
  std::filesystem::path sites(const std::string& text) const {
    write_file(folder / "parity.toml", text);
    return folder / "parity.toml";
  }
  static std::string problem(const std::string& name, const std::filesystem::path& file) {
    try {
      find_site(name, file);
      return "";
    } catch (const UserError& error) {
      return error.what();
    }
  }
};

TEST_F(SiteTest, OneOfSeveralSites_IsChosenByName) {
  const auto file =
      sites("[sites.big]\npartition = 'gpu'\nmax_jobs = 7\n[sites.small]\noptions = ['--mem=1G']\n");
  EXPECT_EQ(find_site("big", file).partition, "gpu");
  EXPECT_EQ(find_site("big", file).max_jobs, 7);
  EXPECT_EQ(find_site("small", file).options, std::vector<std::string>{"--mem=1G"});
}

TEST_F(SiteTest, Slurm_NeedsNoFile) {
  EXPECT_EQ(find_site("slurm", folder / "none.toml").partition, "");
  EXPECT_THAT(problem("big", folder / "none.toml"), HasSubstr("unknown site 'big'"));
}

TEST_F(SiteTest, SlurmInTheFile_ReplacesTheDefaults) {
  EXPECT_EQ(find_site("slurm", sites("[sites.slurm]\npartition = 'gpu'\n")).partition, "gpu");
}

TEST_F(SiteTest, BadValues_AreReportedWithTheirPlace) {
  EXPECT_THAT(problem("a", sites("[sites.a]\npartitoin = 'gpu'\n")), HasSubstr("parity.toml:2:1"));
  EXPECT_THAT(problem("a", sites("[sites.a]\nmax_jobs = 0\n")), HasSubstr("expected a number above 0"));
  EXPECT_THAT(problem("a", sites("[sites.a]\npoll_seconds = nan\n")), HasSubstr("expected a number above 0"));
  EXPECT_THAT(problem("a", sites("[sites.a]\nscheduler = 'pbs'\n")), HasSubstr("unknown scheduler 'pbs'"));
  EXPECT_THAT(problem("a", sites("[sites.a\n")), HasSubstr("parity.toml:1"));
}

TEST_F(SiteTest, SetupLines_BelongToTheIdentity) {
  const auto file = sites("[sites.a]\n[sites.b]\nsetup = ['module load cuda']\n");
  EXPECT_NE(find_site("a", file).identity(), find_site("b", file).identity());
  EXPECT_EQ(find_site("a", file).identity(), find_site("slurm", file).identity());
}

}  // namespace
}  // namespace parity::suite
