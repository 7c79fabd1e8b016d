// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// `parity compare` and `parity import` on logs of several kinds: what they print, and their exit codes.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "harness/base/json/json.hpp"
#include "tests/harness/cli/program_fixture.hpp"

namespace parity::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class LogsTest : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    put("a.jsonl",
        "{\"step\": 1, \"train/loss\": 2.5, \"lr\": 0.1}\n{\"step\": 2, \"train/loss\": 2.25, \"lr\": "
        "0.2}\n");
    put("b.csv", "step,loss,learning_rate\n1,2.5,0.1\n2,2.25,0.2\n");
    put("moved.csv", "step,loss,learning_rate\n1,2.5,0.1\n2,2.125,0.2\n");
    put("c.log", "iter 1: loss 2.5000, time 3.00ms\niter 2: loss 2.2500, time 4.00ms\n");
  }
  void put(const std::string& name, const std::string& text) const { write_file(folder_ / name, text); }
};

TEST_F(LogsTest, MixedKinds_Agree) {
  const Outcome found = parity("compare a.jsonl b.csv");
  EXPECT_EQ(found.status, 0) << found.out << found.err;
  EXPECT_THAT(found.out, AllOf(HasSubstr("a.jsonl: JSON lines, 2 steps, 2 channels\n"),
                               HasSubstr("b.csv: CSV, 2 steps, 2 channels\n"),
                               HasSubstr("identical: 2 common channels agree")));
  EXPECT_EQ(parity("compare c.log b.csv --channel loss").status, 0);
  EXPECT_EQ(shell("sh -c 'parity compare - b.csv < a.jsonl'").status, 0);
}

TEST_F(LogsTest, OtherValue_IsFound) {
  const Outcome found = parity("compare a.jsonl moved.csv");
  EXPECT_EQ(found.status, 1) << found.err;
  EXPECT_THAT(found.out, HasSubstr("loss at step 2: 2.25 against 2.125"));
  const Json json = read_json(parity("compare a.jsonl moved.csv --json").out);
  EXPECT_EQ(json.at("identical"), false);
  EXPECT_EQ(json.at("channels").at(0).at("first").at("step"), 2);
}

TEST_F(LogsTest, Html_IsWrittenWhole) {
  const Outcome found = parity("compare a.jsonl moved.csv --html new/page.html --title '</title><script>'");
  EXPECT_EQ(found.status, 1) << found.err;
  EXPECT_THAT(found.out, HasSubstr("wrote new/page.html\n"));
  const std::string page = read_file(folder_ / "new/page.html");
  EXPECT_THAT(page, AllOf(HasSubstr("different: 1 of 2 common channels"), HasSubstr("2.25 against 2.125"),
                          HasSubstr("&lt;/title&gt;&lt;script&gt;"), HasSubstr("XXH3-128")));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "new/plotly.min.js"));
  EXPECT_EQ(parity("compare a.jsonl b.csv --title x").status, 2);
  EXPECT_EQ(parity("compare a.jsonl b.csv --html a.jsonl/x.html").status, 2);
}

TEST_F(LogsTest, LateRate_IsNamedInTheVerdict) {
  put("rate.csv", "step,loss,lr\n1,3,0.1\n2,2,0.2\n3,1.5,0.3\n4,1.25,0.4\n5,1,0.5\n");
  put("late.csv", "step,loss,lr\n1,3,0\n2,2.5,0.1\n3,2,0.2\n4,1.5,0.3\n5,1.25,0.4\n");
  EXPECT_THAT(parity("compare rate.csv late.csv").out,
              HasSubstr("; lr of the second lags the first's by 1 step, bit for bit\n"));
}

TEST_F(LogsTest, MoreSides_AreComparedWithTheFirst) {
  const Outcome found = parity("compare a.jsonl b.csv moved.csv");
  EXPECT_EQ(found.status, 1) << found.err;
  EXPECT_THAT(found.out, AllOf(HasSubstr("identical: 2 common channels"), HasSubstr("different: 1 of 2"),
                               HasSubstr("\ndifferent: moved.csv; 1 of 2 sides agrees with a.jsonl\n")));
  EXPECT_THAT(parity("compare a.jsonl b.csv b.csv").out, HasSubstr("agree: all 2 sides agree with a.jsonl"));
  EXPECT_EQ(parity("compare a.jsonl b.csv b.csv").status, 0);
  EXPECT_EQ(parity("compare a.jsonl b.csv none.csv").status, 3);
  const Json json = read_json(parity("compare a.jsonl b.csv moved.csv --json").out);
  EXPECT_EQ(json.at("schema"), "parity.overlay/1");
  EXPECT_EQ(json.at("identical"), false);
  EXPECT_EQ(json.at("comparisons").at(0).at("identical"), true);
  EXPECT_EQ(json.at("comparisons").at(1).at("side"), "moved.csv");
}

TEST_F(LogsTest, SideWithTooLittle_OutweighsAgreement) {
  put("loss.csv", "step,loss\n1,2.5\n2,2.25\n");
  const Outcome found = parity("compare a.jsonl b.csv loss.csv");
  EXPECT_EQ(found.status, 3) << found.out;
  EXPECT_THAT(found.out, HasSubstr("missing: loss.csv; 1 of 2 sides agrees"));
  EXPECT_EQ(parity("compare a.jsonl loss.csv moved.csv").status, 1);
}

TEST_F(LogsTest, Report_HasPageAndPictures) {
  const Outcome found = parity("compare a.jsonl b.csv moved.csv --report out/r --title Mine");
  if (found.err.find("need gnuplot") != std::string::npos)
    GTEST_SKIP() << "needs gnuplot, found none";
  EXPECT_EQ(found.status, 1) << found.err;
  EXPECT_THAT(found.out,
              AllOf(HasSubstr("wrote out/r/index.html\n"), HasSubstr("drew 2 channels to out/r/plots\n")));
  EXPECT_THAT(read_file(folder_ / "out/r/index.html"), AllOf(HasSubstr("moved.csv"), HasSubstr("Mine")));
  EXPECT_THAT(read_file(folder_ / "out/r/plots/plots.md"), HasSubstr("![loss](loss.png)"));
  EXPECT_EQ(parity("compare a.jsonl b.csv --plots a.jsonl/x").status, 2);
}

TEST_F(LogsTest, ManyDifferences_AreCut) {
  std::string head = "step,loss", first = "\n1,1", second = "\n1,1";
  for (int i = 0; i < 60; ++i) {
    head += ",c" + std::to_string(i);
    first += ",1", second += ",2";
  }
  put("wide.csv", head + first + "\n2,3" + first.substr(4) + "\n");
  put("other.csv", head + second + "\n2,3" + second.substr(4) + "\n");
  const std::string out = parity("compare wide.csv other.csv").out;
  EXPECT_THAT(out, AllOf(HasSubstr("and 21 more channels, of which 20 differ"),
                         HasSubstr("and 50 more of the channels that differ")));
  EXPECT_THAT(parity("compare wide.csv other.csv --all").out, HasSubstr("c59 at step 1"));
}

TEST_F(LogsTest, Traces_HavePagesToo) {
  EXPECT_EQ(parity("import a.jsonl -o a.h5").status, 0);
  EXPECT_EQ(parity("import moved.csv -o moved.h5").status, 0);
  const Outcome found = parity("compare a.h5 a.h5 moved.h5 --html t.html");
  EXPECT_EQ(found.status, 1) << found.err;
  EXPECT_THAT(found.out, HasSubstr("different: moved.h5; 1 of 2 sides agrees with a.h5"));
  const std::string page = read_file(folder_ / "t.html");
  EXPECT_THAT(page, AllOf(HasSubstr("a.h5 (2)"), HasSubstr("Largest gap at step 2: 2.25 against 2.125."),
                          HasSubstr("No tensor was compared."), HasSubstr("Provenance that differs")));
}

TEST_F(LogsTest, Noise_IsStatedAndDifferenceStays) {
  put("seed.csv", "step,loss\n1,3.5\n2,3.25\n");
  const Outcome found = parity("compare a.jsonl moved.csv --noise seed.csv seed.csv");
  EXPECT_EQ(found.status, 1) << found.err;
  EXPECT_THAT(found.out, HasSubstr("the two are not farther apart than seeds are"));
  const Json json = read_json(parity("compare a.jsonl moved.csv --json --noise seed.csv").out);
  EXPECT_EQ(json.at("noise").at("smallest_probability"), 0.5);
  EXPECT_EQ(parity("compare a.jsonl b.csv --noise none.csv").status, 3);
}

TEST_F(LogsTest, NothingInCommon_IsMissing) {
  put("far.csv", "step,loss\n11,2.5\n12,2.25\n");
  put("other.csv", "step,mine\n1,2.5\n2,2.25\n");
  EXPECT_EQ(parity("compare a.jsonl far.csv").status, 3);
  EXPECT_EQ(parity("compare a.jsonl other.csv").status, 3);
  EXPECT_EQ(parity("compare a.jsonl other.csv --map loss=mine").status, 3);  // no lr
  EXPECT_EQ(parity("compare a.jsonl other.csv --map loss=mine --channel loss").status, 0);
}

TEST_F(LogsTest, TooLittle_IsMissing) {
  put("loss.csv", "step,loss\n1,2.5\n2,2.25\n");
  put("lr.csv", "step,lr,time\n1,0.1,1\n2,0.2,2\n");
  const Outcome found = parity("compare a.jsonl loss.csv");
  EXPECT_EQ(found.status, 3) << found.out;
  EXPECT_THAT(found.out, HasSubstr("missing: only the first log has lr; "));
  EXPECT_EQ(parity("compare a.jsonl loss.csv --channel loss").status, 0);
  EXPECT_EQ(parity("compare lr.csv lr.csv").status, 3);
  EXPECT_THAT(parity("compare lr.csv lr.csv").out, HasSubstr("time is not compared"));
  EXPECT_EQ(parity("compare lr.csv lr.csv --channel lr").status, 0);
}

TEST_F(LogsTest, Import_WritesATrace) {
  const Outcome found = parity("import a.jsonl -o a.h5");
  EXPECT_EQ(found.status, 0) << found.err;
  EXPECT_EQ(found.out, "a.jsonl: JSON lines, 2 steps, 2 channels\nwrote a.h5\n");
  EXPECT_EQ(parity("compare a.h5 b.csv").status, 0);
  EXPECT_EQ(parity("compare moved.csv a.h5").status, 1);
  EXPECT_EQ(parity("import b.csv -o b.h5").status, 0);
  EXPECT_EQ(parity("compare a.h5 b.h5").status, 0);
}

TEST_F(LogsTest, BadInput_IsRefused) {
  put("empty.jsonl", "");
  put("cut.jsonl", "{\"step\": 1, \"loss\": 2}\n{\"st");
  put("prose.log", "nothing to see\n");
  for (const char* name : {"empty.jsonl", "cut.jsonl", "prose.log"}) {
    const Outcome found = parity(std::string("compare ") + name + " a.jsonl");
    EXPECT_EQ(found.status, 2) << name;
    EXPECT_THAT(found.err, HasSubstr(name));
    EXPECT_EQ(parity(std::string("import ") + name + " -o x.h5").status, 2);
    EXPECT_FALSE(std::filesystem::exists(folder_ / "x.h5"));
  }
  EXPECT_EQ(parity("compare a.jsonl b.csv --step 1").status, 2);
}

TEST_F(LogsTest, OfLoggers_AreReadByTheirPackage) {
  // Stands for the package: writes what PATH is to -o FILE, that is $6.
  put("python",
      "#!/bin/sh\necho '{\"format\": \"W&B\", \"notes\": [\"from '$3'\"]}' > $6\ncat a.jsonl >> $6\n");
  put("run-1.wandb", std::string(":W&B\xE1\xBE\0", 7));
  std::filesystem::create_directory(folder_ / "board");
  put("board/events.out.tfevents.1.host.1.0", "");
  const std::string python = "env PARITY_PYTHON=./python ";
  EXPECT_EQ(shell("chmod +x python").status, 0);
  for (const char* name : {"run-1.wandb", "board"}) {
    const Outcome found = shell(python + "parity compare " + name + " b.csv");
    EXPECT_EQ(found.status, 0) << found.out << found.err;
    EXPECT_THAT(found.out, AllOf(HasSubstr(std::string(name) + ": W&B, 2 steps, 2 channels\n"),
                                 HasSubstr(std::string(name) + ": from logs")));
  }
  EXPECT_EQ(shell(python + "parity import board -o board.h5").status, 0);
  EXPECT_EQ(parity("compare board.h5 b.csv").status, 0);
  put("board/trace.h5", "");
  EXPECT_THAT(shell(python + "parity compare board b.csv").err, HasSubstr("trace.h5"));
}

TEST_F(LogsTest, FolderOfRuns_IsOfALogger) {
  put("python", "#!/bin/sh\necho 'parity: these folders are runs' >&2\nexit 2\n");
  EXPECT_EQ(shell("chmod +x python").status, 0);
  put("empty/a/notes.txt", "");
  put("runs/a/b/events.out.tfevents.1.host.1.0", "");
  put("shared/a/data/rows.parquet", "PAR1");
  const std::string python = "env PARITY_PYTHON=./python ";
  const Outcome named = shell(python + "parity compare runs b.csv");
  EXPECT_EQ(named.status, 2) << named.out << named.err;
  EXPECT_THAT(named.err, HasSubstr("these folders are runs"));
  for (const char* name : {"empty", "shared"})
    EXPECT_THAT(shell(python + "parity compare " + name + " b.csv").err, HasSubstr("neither trace.h5"));
}

TEST_F(LogsTest, NullOfParquet_IsNan) {
  std::string lines = "{\"format\": \"Parquet\", \"notes\": []}\n";
  for (int step = 1; step <= 5; ++step)
    lines += fmt::format("{{\"step\": {}{}, \"lr\": 0.1}}\n", step,
                         step == 3 ? "" : fmt::format(", \"loss\": {}", 1.0 / (2 + step)));
  put("rows", lines);
  put("python", "#!/bin/sh\ncat rows > $6\n");
  put("a.parquet", "PAR1");
  EXPECT_EQ(shell("chmod +x python").status, 0);
  const Outcome found = shell("env PARITY_PYTHON=./python parity compare a.parquet a.parquet");
  EXPECT_EQ(found.status, 1) << found.out << found.err;
  EXPECT_THAT(found.out, HasSubstr("'loss' is empty at 1 step, first 3, and counts as NaN there"));
}

TEST_F(LogsTest, OfLoggersWithoutPython_NameTheInstallLine) {
  put("run-1.wandb", std::string(":W&B\xE1\xBE\0", 7));
  const Outcome absent = shell("env PARITY_PYTHON=/no/such/python parity compare run-1.wandb b.csv");
  EXPECT_NE(absent.status, 0);
  EXPECT_THAT(absent.err, HasSubstr("/no/such/python"));
  put("python", "#!/bin/sh\necho 'python: No module named parity' >&2\nexit 1\n");
  const Outcome bare =
      shell("env PARITY_PYTHON=./python sh -c 'chmod +x python; exec parity compare run-1.wandb b.csv'");
  EXPECT_EQ(bare.status, 3);
  EXPECT_THAT(bare.err, HasSubstr("-m pip install parity-harness tensorboard wandb"));
}

TEST_F(LogsTest, Names_AreListed) {
  EXPECT_THAT(parity("keys channels").out, HasSubstr("lm loss"));
}

}  // namespace
}  // namespace parity::cli
