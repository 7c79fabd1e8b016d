// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <set>

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "harness/base/processes/process.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "tests/harness/suite/suite_fixture.hpp"
#include "tests/support/places.hpp"
#include "tests/support/scratch.hpp"

namespace parity::cli {
namespace {
namespace fs = std::filesystem;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

struct Ended {
  int status = -1;
  std::string out;
  std::string err;
};

/// The program `parity` in the hands of a malicious or unlucky user.
class HostileTest : public suite::SuiteTest {
 protected:
  Ended shell(const std::string& line) const {
    ProcessSpec spec;
    spec.argv = {"/bin/bash", "-c",
                 "cd '" + folder_.string() + "' && PATH='" + places::build + "/bin':$PATH && " + line};
    spec.environment = {{"PARITY_TRAINER", "/no/such/trainer"}};
    spec.stdout_file = folder_ / "stdout";
    spec.stderr_file = folder_ / "stderr";
    fs::remove(spec.stdout_file);
    fs::remove(spec.stderr_file);
    Process process = Process::spawn(spec);
    const auto status = process.wait_for(std::chrono::seconds(100));
    return {status ? status->exit_status().value_or(-2) : -3, read_file(folder_ / "stdout"),
            read_file(folder_ / "stderr")};
  }

  std::string write_same(const std::string& name) const {
    write_trace("good", falling_losses());
    write_case(name, "[golden]\narms = []\n" + copying_arm("a", "good") + copying_arm("b", "good") +
                         losses_identical());
    return "topic/" + name;
  }

  std::set<std::string> files() const {
    std::set<std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(folder_))
      if (const std::string path = entry.path().lexically_relative(folder_); !path.starts_with("out/"))
        found.insert(path);
    return found;
  }
};

TEST_F(HostileTest, BadInput_ExitsTwoOrThreeWithCleanReason) {
  write_same("same");
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  write_file(folder_ / "text.h5", "not HDF5");
  write_file(folder_ / "empty.toml", "");
  write_file(folder_ / "latin.toml", "title = \"\xE9\"\n");
  write_file(folder_ / "esc.toml", "\"a\\u001b]0;x\\u0007\" = 1\n");
  write_file(folder_ / "bytes\xff.toml", "");
  write_file(folder_ / "large.toml", std::string(2 << 20, '#'));
  write_file(folder_ / "other/results.json", R"({"schema": "parity.results/9", "cases": [], "summary": {}})");
  write_file(folder_ / "half/results.json", R"({"schema": "parity.results/1", "cases": [{"name")");
  write_file(folder_ / "wrong/results.json",
             R"({"schema": "parity.results/1", "cases": [{"name": 3}], "summary": []})");
  write_file(folder_ / "list/results.json",
             R"({"schema": "parity.results/1", "cases": {"a": 1}, "summary": 4})");
  write_file(folder_ / "deep/results.json",
             R"({"schema": "parity.results/1", "cases": )" + std::string(1 << 20, '['));
  write_file(folder_ / "out/suite/cases/topic/broken.json", R"({"name": 1, "arms": [{"nam": "a"}, 3]})");
  const std::string long_name(4000, 'n');
  const std::string bad[] = {
      "run /dev/zero",
      "run pipe",
      "run ''",
      "run " + long_name,
      "run empty.toml",
      "run latin.toml",
      "run esc.toml",
      "run bytes$'\\xff'.toml",
      "run large.toml",
      "run $'a\\x1b[31mb'",
      "run --out /dev/null topic/same",
      "run --out text.h5/below topic/same",
      "run --out /proc/self topic/same",
      "run --trainer pipe topic/same --jobs x",
      "run --cases pipe",
      "run --cases " + long_name,
      "run --out " + long_name + " topic/same",
      "run --jobs 99999999999999999999 topic/same",
      "compare text.h5 text.h5",
      "compare /dev/zero /dev/zero",
      "compare pipe pipe",
      "compare . .",
      "compare " + long_name + " x",
      "compare topic/same:a topic/same:b",
      "compare topic/broken:a topic/broken:b",
      "compare ../../etc/passwd:a x:b",
      "compare text.h5 $'a\\x1b[31mb'",
      "join text.h5",
      "join /dev/zero",
      "join pipe",
      "join .",
      "join " + long_name,
      "join $'a\\x1b[31mb'",
      "report other",
      "report half",
      "report wrong",
      "report list",
      "report deep",
      "report pipe",
      "report " + long_name,
      "report /dev/null",
      "report $'a\\x1b[31mb'",
      "golden diff text.h5 text.h5",
      "golden verify " + long_name,
  };
  for (const std::string& words : bad) {
    const Ended ended = shell("timeout 60 parity " + words);
    const std::string shown = words.substr(0, 60) + "\n" + ended.err.substr(0, 300);
    EXPECT_THAT(ended.status, AnyOf(2, 3)) << shown;
    EXPECT_THAT(ended.err, Not(HasSubstr("\x1b"))) << shown;
    EXPECT_THAT(ended.err, Not(HasSubstr("internal error"))) << shown;
    EXPECT_FALSE(ended.err.empty()) << shown;
    EXPECT_LT(ended.err.size(), 10'000U) << shown;
  }
}

TEST_F(HostileTest, NamesOfCasesAndTracesEscapeNowhere) {
  const std::string odd =
      "x\x1b[31m<script>alert(1)</script> ../../../evil $(touch pwned) `touch pwned`'\"&;|\n\x9b";
  for (const char* trace : {"one", "two"}) {
    const std::vector<float> data = {1.0F, *trace == 'o' ? 2.0F : 3.0F};
    const fs::path file = folder_ / "cases/topic" / (std::string(trace) + ".h5");
    trace::Recorder recorder({file,
                              {{"dtype", 5}, {"steps", "x"}},
                              {{odd.substr(0, 40), "</script><b>"}},
                              {{}, {{{}, {}, {"*"}}}, {}, false},
                              0});
    for (int64_t step = 1; step <= 3; ++step) {
      recorder.begin_step(step);
      recorder.channel("loss", 8.0 - static_cast<double>(step));
      recorder.channel(odd, static_cast<double>(data[1]));
      recorder.channel(std::string(4000, 'c'), static_cast<double>(data[1]));
      recorder.tensor(trace::Phase::grad, odd, {DType::float32, {2}, data.data()});
      recorder.tensor(trace::Phase::grad, std::string(100, 't'), {DType::float32, {2}, data.data()});
      recorder.end_step();
    }
    recorder.finish();
  }
  const std::string text =
      "title = \"\\u001b]0;t\\u0007<img src=x onerror=alert(1)>\"\nquestion = "
      "\"</script><script>alert(2)</script>\"\n"
      "source = \"javascript:alert(3)\"\ntags = [\"<b>\", \"\\u009b2J\"]\n[golden]\narms = []\n" +
      copying_arm("one", "one") + copying_arm("two", "two") +
      "[[checks]]\ntensor = \"*\"\nphase = \"grad\"\nrelation = \"identical\"\nbecause = "
      "\"\\u001b[2J<script>\"\n"
      "[[checks]]\nchannel = \"loss\"\nrelation = \"equivalent\"\nbecause = \"e\"\n"
      "[[checks]]\nchannel = [\"" +
      std::string(4000, 'c') + "\", '''" + "x*" + "''']\nrelation = \"identical\"\nbecause = \"b\"\n";
  const std::string name = "it's $(touch pwned) <b> \x1b[31m";
  write_case(name, text);
  const std::set<std::string> before = files();
  const Ended ended = shell("parity run cases");
  EXPECT_EQ(ended.status, 1) << ended.err;
  for (const std::string& shown :
       {ended.out, ended.err, read_file(folder_ / "out/suite/report.txt"),
        read_file(folder_ / "out/suite/summary.md"), read_file(folder_ / "out/suite/junit.xml"),
        read_file(folder_ / "out/suite/index.html"), shell("parity list").out}) {
    EXPECT_TRUE(is_utf8(shown));
    EXPECT_THAT(shown, Not(HasSubstr("\x1b")));
    EXPECT_THAT(shown, Not(HasSubstr("\xC2\x9B")));
  }
  for (const char* file : {"index.html", "junit.xml"})
    EXPECT_THAT(read_file(folder_ / "out/suite" / file), Not(HasSubstr("<script>alert"))) << file;
  for (const char* file : {"index.html", "summary.md", "junit.xml"})  // a summary has commands in fences
    EXPECT_THAT(read_file(folder_ / "out/suite" / file), Not(HasSubstr("<img src=x"))) << file;
  const CommandResult parsed =
      run_python(folder_ / "out",
                 "import sys, xml.etree.ElementTree as e, json\n"
                 "e.parse(sys.argv[1] + '/junit.xml'); json.load(open(sys.argv[1] + '/results.json'))",
                 (folder_ / "out/suite").string());
  EXPECT_EQ(parsed.status, 0) << parsed.output;
  const Json results = Json::parse(read_file(folder_ / "out/suite/results.json"));
  for (const Json& check : results.at("cases").at(0).at("checks"))
    EXPECT_THAT(shell(check.at("finding").at("next").get<std::string>()).status, AnyOf(0, 1))
        << check.at("finding").at("next");
  EXPECT_EQ(shell(results.at("cases").at(0).at("reproduce").get<std::string>()).status, 1);
  std::set<std::string> after = files();
  after.erase("stdout");
  after.erase("stderr");
  after.erase("out");
  EXPECT_EQ(after, before);
}

TEST_F(HostileTest, ATrainerThatShoutsBinaryIsCutAndShownHarmless) {
  write_trace("good", falling_losses());
  write_case("loud", "[golden]\narms = []\n" + copying_arm("a", "good") +
                         shell_arm("b",
                                   "head -c 30000000 /dev/urandom >&2; head -c 20000000 /dev/urandom; "
                                   "sleep 0.6; echo last words >&2; exit 5") +
                         losses_identical());
  const Ended ended = shell("parity run");
  EXPECT_EQ(ended.status, 4) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("exit status 5"));
  EXPECT_TRUE(is_utf8(ended.out));
  const Json results = Json::parse(read_file(folder_ / "out/suite/results.json"));
  const Json& arm = results.at("cases").at(0).at("arms").at(1);
  EXPECT_THAT(arm.at("failure").at("message").get<std::string>(), HasSubstr("last words"));
  const fs::path run = folder_ / "out/suite/runs" / arm.at("run").get<std::string>();
  EXPECT_LT(fs::file_size(run / "stderr"), 9U << 20);
  EXPECT_LT(fs::file_size(run / "stdout"), 9U << 20);
}

TEST_F(HostileTest, ImpossibleConfig_ExitsTwoMissingFileThree) {
  const auto trainer = [&](int status) {
    write_file(folder_ / "trainer", "#!/bin/sh\necho 'parity-train: steps: 1 is too few' >&2\nexit " +
                                        std::to_string(status) + "\n");
    fs::permissions(folder_ / "trainer", fs::perms::all);
  };
  write_file(folder_ / "trainer.schema.json", R"({"schema": "parity.config/1", "channels": ["loss"], "keys":
    {"steps": {"type": "integer", "default": 10}, "dtype": {"type": "string", "default": "float32"}}})");
  write_case("c", "[golden]\narms = []\n[arms.a]\nsteps = 1\n[arms.b]\nsteps = 2\n" + losses_identical());
  for (const auto& [status, expected] : {std::pair{2, 2}, {3, 3}, {1, 4}}) {
    trainer(status);
    const Ended ended = shell("parity run --trainer ./trainer --no-cache");
    EXPECT_EQ(ended.status, expected) << ended.err;
    EXPECT_THAT(ended.out, HasSubstr("steps: 1 is too few"));
  }
}

TEST_F(HostileTest, TensorNameCollision_FailsOnlyItsCase) {
  write_same("same");
  const std::vector<float> data = {1.0F};
  trace::Recorder recorder({folder_ / "cases/topic/two.h5",
                            Json::object(),
                            Json::object(),
                            {{}, {{{}, {}, {"*"}}}, {}, false},
                            0});
  recorder.begin_step(1);
  recorder.channel("loss", 1.0);
  recorder.tensor(trace::Phase::grad, "a1", {DType::float32, {1}, data.data()});
  recorder.tensor(trace::Phase::grad, "a2", {DType::float32, {1}, data.data()});
  recorder.end_step();
  recorder.finish();
  write_case("clash", "[golden]\narms = []\n" + copying_arm("one", "two") + "[arms.one.names]\n'a.' = 'a'\n" +
                          copying_arm("other", "good") + losses_identical());
  const Ended ended = shell("parity run");
  EXPECT_EQ(ended.status, 4) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("would be called 'a'"));
  EXPECT_THAT(ended.out, HasSubstr("topic/same"));
}

TEST_F(HostileTest, OutputThatCannotBeWrittenIsNotSilent) {
  write_same("same");
  EXPECT_EQ(shell("parity list > /dev/full").status, 2);
  EXPECT_THAT(shell("parity list > /dev/full").err, HasSubstr("No space left on device"));
}

}  // namespace
}  // namespace parity::cli
