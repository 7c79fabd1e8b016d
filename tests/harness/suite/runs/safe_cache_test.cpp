// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <thread>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>

#include "harness/base/error.hpp"
#include "harness/suite/cases/names.hpp"
#include "harness/suite/plan/identity/content_hash.hpp"
#include "harness/suite/results/file/last.hpp"
#include "tests/harness/suite/suite_fixture.hpp"

namespace parity::suite {
namespace {
namespace fs = std::filesystem;
using testing::HasSubstr;

/// Which runs are the same run, and when a stored run is used.
class SafeCacheTest : public SuiteTest {
 protected:
  void SetUp() override {
    SuiteTest::SetUp();
    write_two_traces();
  }

  static std::string head() { return "[golden]\narms = []\n"; }
  /// An arm whose program is a script next to the case; it copies a trace into place.
  static std::string script_arm(const std::string& name, const std::string& words,
                                const std::string& more = "") {
    return "[arms." + name + "]\ncommand = [\"{case_dir}/tool\", " + words +
           "]\ninputs = [\"a.h5\", \"b.h5\"]\n" + more;
  }
  void write_tool(const std::string& trace, const fs::path& folder) const {
    write_file(folder / "tool", "#!/bin/sh\ncp '" + (folder_ / "cases/topic").string() + "/" + trace +
                                    ".h5' \"$PARITY_TRACE\"\n");
    fs::permissions(folder / "tool", fs::perms::owner_all);
  }
  void write_tool(const std::string& trace) const { write_tool(trace, folder_ / "cases/topic"); }

  static bool passed(const Json& results, size_t i = 0) {
    return results.at("cases").at(i).at("passed").get<bool>();
  }
  static std::string verdict(const Json& results, size_t check = 0) {
    return results.at("cases").at(0).at("checks").at(check).at("verdict");
  }
  fs::path trace_of(const Json& results, size_t arm) const {
    const std::string id = results.at("cases").at(0).at("arms").at(arm).at("run");
    return folder_ / "out/runs" / id / "trace.h5";
  }
  /// Overwrites a file in place and restores its modification time.
  static void overwrite_in_place(const fs::path& file, const fs::path& contents) {
    struct stat before = {};
    ASSERT_EQ(::stat(file.c_str(), &before), 0);
    std::ofstream(file, std::ios::binary | std::ios::in) << read_file(contents);
    const timespec times[2] = {before.st_atim, before.st_mtim};
    ASSERT_EQ(::utimensat(AT_FDCWD, file.c_str(), times, 0), 0);
  }
};

TEST_F(SafeCacheTest, TwoCommandsThatAreOneRun_AreVacuous) {
  write_tool("a");
  const Json results = run(
      {write_case("c", head() + script_arm("x", "\"1\"") + script_arm("y", "\"1\"") + losses_identical())});
  EXPECT_EQ(verdict(results), "vacuous");
  EXPECT_FALSE(passed(results));
}

TEST_F(SafeCacheTest, OneCommandWithoutInputs_RunsTwice) {
  const std::string script =
      "if mkdir {case_dir}/first; then cp {case_dir}/a.h5 $PARITY_TRACE; else cp {case_dir}/b.h5 "
      "$PARITY_TRACE; fi";
  const Json results =
      run({write_case("c", head() + shell_arm("x", script) + shell_arm("y", script) + losses_identical())});
  EXPECT_EQ(results.at("summary").at("runs"), 2);
  EXPECT_EQ(verdict(results), "different");
}

TEST_F(SafeCacheTest, CasesOfOneName_ShareNothing) {
  for (const char* name : {"one", "two"}) {
    fs::create_directories(folder_ / name);
    write_tool("a", folder_ / name);
    write_file(folder_ / name / "case.toml", head() +
                                                 "[arms.x]\ncommand = [\"{case_dir}/tool\"]\n"
                                                 "[arms.y]\ncommand = [\"cp\", \"" +
                                                 (folder_ / "cases/topic/a.h5").string() +
                                                 "\", \"{run_dir}/trace.h5\"]\n" + losses_identical());
  }
  write_tool("b", folder_ / "two");
  std::vector<Case> cases = {read_case(folder_ / "one/case.toml"), read_case(folder_ / "two/case.toml")};
  EXPECT_NE(cases[0].golden_file, cases[1].golden_file);
  make_names_unique(cases);
  const Json results = run(cases);
  EXPECT_EQ(results.at("summary").at("runs"), 4);
  EXPECT_TRUE(passed(results, 0));
  EXPECT_FALSE(passed(results, 1));
  EXPECT_EQ(results.at("cases").at(0).at("name"), "one/case");
  EXPECT_EQ(results.at("cases").at(1).at("name"), "two/case");
  EXPECT_TRUE(last_results("one/case", folder_ / "out").passed);
  EXPECT_FALSE(last_results("two/case", folder_ / "out").passed);
}

TEST_F(SafeCacheTest, OneCaseDirEach_IsARunEach) {
  std::vector<Case> cases;
  for (const char* name : {"one", "two"}) {
    fs::create_directories(folder_ / name);
    write_file(folder_ / name / "case.toml",
               head() + "[arms.x]\ncommand = [\"sh\", \"-c\", \"cp {case_dir}/t.h5 $PARITY_TRACE\"]\n" +
                   "inputs = [\"same\"]\n" + copying_arm("y", "../cases/topic/a") + losses_identical());
    write_file(folder_ / name / "same", "same");
    fs::copy_file(folder_ / "cases/topic" / (name == std::string("one") ? "a.h5" : "b.h5"),
                  folder_ / name / "t.h5");
    cases.push_back(read_case(folder_ / name / "case.toml"));
  }
  make_names_unique(cases);
  const Json results = run(cases);
  EXPECT_TRUE(passed(results, 0));
  EXPECT_FALSE(passed(results, 1)) << "it is not the other case's run";
}

TEST_F(SafeCacheTest, NamesOfCases_GrowUntilTheyDiffer) {
  const auto named = [](const std::string& name, const std::string& file) {
    Case item;
    item.name = name;
    item.file = file;
    return item;
  };
  std::vector<Case> cases = {named("case", "/w/a/x/case.toml"), named("case", "/w/b/x/case.toml"),
                             named("lr/z", "/p/cases/lr/z.toml"), named("lr/z", "/q/cases/lr/z.toml"),
                             named("alone", "/w/alone.toml")};
  make_names_unique(cases);
  std::vector<std::string> names;
  for (const Case& item : cases)
    names.push_back(item.name);
  EXPECT_THAT(names, testing::ElementsAre("a/x/case", "b/x/case", "p/cases/lr/z", "q/cases/lr/z", "alone"));
}

TEST_F(SafeCacheTest, AChangedProgram_RunsAgain) {
  write_tool("a");
  const auto item = [&] {
    return write_case("c", head() + script_arm("x", "\"1\"") + script_arm("y", "\"2\"") + losses_identical());
  };
  EXPECT_TRUE(passed(run({item()})));
  EXPECT_EQ(run({item()}).at("summary").at("runs_cached"), 2);
  write_file(folder_ / "cases/topic/tool", "#!/bin/sh\nexit 1\n");
  EXPECT_FALSE(passed(run({item()})));
}

TEST_F(SafeCacheTest, AChangedScriptAmongTheWords_RunsAgain) {
  write_tool("a");
  const auto item = [&] {
    std::string arms;
    for (const char* name : {"x", "y"})
      arms += "[arms." + std::string(name) + "]\ncommand = [\"sh\", \"{case_dir}/tool\", \"" + name +
              "\"]\ninputs = [\"a.h5\"]\n";
    return write_case("c", head() + arms + losses_identical());
  };
  EXPECT_TRUE(passed(run({item()})));
  write_file(folder_ / "cases/topic/tool", "exit 1\n");
  EXPECT_FALSE(passed(run({item()})));
}

TEST_F(SafeCacheTest, AChangedEnvironment_RunsAgain) {
  write_tool("a");
  const auto cached = [&] {
    return run({write_case(
                   "c", head() + script_arm("x", "\"1\"") + script_arm("y", "\"2\"") + losses_identical())})
        .at("summary")
        .at("runs_cached");
  };
  cached();
  EXPECT_EQ(cached(), 2);
  ::setenv("TF_ENABLE_SOMETHING", "1", 1);
  EXPECT_EQ(cached(), 0);
  ::unsetenv("TF_ENABLE_SOMETHING");
  EXPECT_EQ(cached(), 2);
  ::setenv("SSH_TTY", "/dev/pts/77", 1);
  EXPECT_EQ(cached(), 2) << "another terminal";
  ::unsetenv("SSH_TTY");
}

TEST_F(SafeCacheTest, AReplacedTrace_IsNotBelieved) {
  write_tool("a");
  const auto item = [&] {
    return write_case("c", head() + copying_arm("x", "a") + copying_arm("y", "b") + losses_identical());
  };
  const Json before = run({item()});
  EXPECT_FALSE(passed(before));
  fs::copy_file(trace_of(before, 0), trace_of(before, 1), fs::copy_options::overwrite_existing);
  const Json after = run({item()});
  EXPECT_FALSE(passed(after));
  EXPECT_EQ(after.at("summary").at("runs_cached"), 1);
}

TEST_F(SafeCacheTest, ATraceOfTheSameSizeAndTime_IsNotBelieved) {
  const auto item = [&](const std::string& more) {
    return write_case("c",
                      head() + copying_arm("x", "a") + copying_arm("y", "b") + losses_identical() + more);
  };
  const Json before = run({item("")});
  ASSERT_EQ(fs::file_size(trace_of(before, 0)), fs::file_size(trace_of(before, 1)));
  overwrite_in_place(trace_of(before, 1), trace_of(before, 0));
  EXPECT_FALSE(passed(run({item("# judged anew\n")})));
}

TEST_F(SafeCacheTest, AReplacedTraceOfAnotherRank_IsNotBelieved) {
  const auto item = [&] {
    std::string arms;
    for (const char* name : {"x", "y"})
      arms += "[arms." + std::string(name) +
              "]\ncommand = [\"sh\", \"-c\", \"cp {case_dir}/a.h5 $PARITY_TRACE && cp " +
              "{case_dir}/a.h5 {run_dir}/other.h5\", \"" + name + "\"]\ninputs = [\"a.h5\"]\n";
    return write_case("c", head() + arms + losses_identical());
  };
  const Json before = run({item()});
  const fs::path other = trace_of(before, 1).parent_path() / "other.h5";
  fs::copy_file(folder_ / "cases/topic/b.h5", other, fs::copy_options::overwrite_existing);
  EXPECT_EQ(run({item()}).at("summary").at("runs_cached"), 1);
}

TEST_F(SafeCacheTest, AnInputWrittenInPlace_RunsAgain) {
  write_file(folder_ / "cases/topic/data", "a");
  const auto item = [&] {
    std::string arms;
    for (const char* name : {"x", "y"})
      arms += "[arms." + std::string(name) +
              "]\ncommand = [\"sh\", \"-c\", \"cp {case_dir}/$(cat {case_dir}/data).h5 " +
              "$PARITY_TRACE\", \"" + name + "\"]\ninputs = [\"data\"]\n";
    return write_case("c",
                      head() + arms + copying_arm("z", "a") + losses_identical() + "arms = [\"x\", \"z\"]\n");
  };
  std::this_thread::sleep_for(std::chrono::milliseconds(3100));  // from here on the hash is stored
  EXPECT_TRUE(passed(run({item()})));
  write_file(folder_ / "b", "b");
  overwrite_in_place(folder_ / "cases/topic/data", folder_ / "b");
  EXPECT_FALSE(passed(run({item()})));
}

TEST_F(SafeCacheTest, AnEditedVerdict_IsJudgedAgain) {
  const auto item = [&] {
    return write_case("c", head() + copying_arm("x", "a") + copying_arm("y", "b") + losses_identical());
  };
  EXPECT_FALSE(passed(run({item()})));
  const fs::path kept = folder_ / "out/cases" / (item().name + ".json");
  Json edited = Json::parse(read_file(kept));
  edited["results"]["passed"] = true;
  edited["results"]["checks"][0]["passed"] = true;
  write_file(kept, edited.dump());
  EXPECT_FALSE(passed(run({item()})));
  edited.erase("seal");
  write_file(kept, edited.dump());
  EXPECT_FALSE(passed(run({item()})));
}

TEST_F(SafeCacheTest, AFolderOfInputs_CountsByItsFiles) {
  const fs::path inputs = folder_ / "cases/topic/weights";
  write_file(inputs / "deep/shard1", "1");
  ContentHashes hashes(folder_ / "memory.json");
  const std::string before = hashes.of_path(inputs);
  EXPECT_EQ(hashes.of_path(inputs), before);
  write_file(inputs / "deep/shard1", "2");
  const std::string changed = hashes.of_path(inputs);
  EXPECT_NE(changed, before);
  fs::rename(inputs / "deep/shard1", inputs / "deep/shard2");
  EXPECT_NE(hashes.of_path(inputs), changed);
  fs::create_directory_symlink(folder_ / "cases", inputs / "loop");
  EXPECT_THROW(hashes.of_path(inputs), UserError);
}

TEST_F(SafeCacheTest, ADaemonOfARun_EndsWithIt) {
  const Json results = run({write_case(
      "c", head() + copying_arm("x", "a") +
               shell_arm("y",
                         "setsid sh -c 'echo $$ > {case_dir}/daemon; exec sleep 600' & sleep 0.3; cp "
                         "{case_dir}/a.h5 $PARITY_TRACE") +
               losses_identical())});
  EXPECT_TRUE(passed(results));
  const pid_t daemon = std::stoi(read_file(folder_ / "cases/topic/daemon"));
  const auto command = [&] {
    std::ifstream in("/proc/" + std::to_string(daemon) + "/cmdline");
    std::string line;
    std::getline(in, line);
    return line;
  };
  for (int i = 0; i < 100 && !command().empty(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(command(), "");
}

}  // namespace
}  // namespace parity::suite
