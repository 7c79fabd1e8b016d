// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/golden/search_golden.hpp"

#include <map>

#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "harness/golden/golden_file.hpp"
#include "tests/harness/suite/suite_fixture.hpp"
#include "tests/support/traces/recorded.hpp"

namespace parity::bisect {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// One run of ten updates.
struct Training {
  std::vector<double> losses = {8.0, 7.75, 7.5, 7.25, 7.0, 6.75, 6.5, 6.25, 6.0, 5.75};
  std::map<std::string, float> tensors;  ///< "grad wq 1" -> the value of its elements, in place of 1
  Json config = {{"lr", {{"base", 0.5}}}};
  Json fingerprint = {{"torch", "1"}, {"initial_weights", "abc"}};
  double change64 = 0;                            ///< of the twin's loss at step 5, relative
  std::map<std::string, std::string> names = {};  ///< of tensors, in place of their own
};

/// A case of two arms whose golden was recorded from a plain training of both.
class SearchGoldenTest : public suite::SuiteTest {
 protected:
  void SetUp() override {
    suite::SuiteTest::SetUp();
    train("a", {});
    train("b", {});
    run({item()}, golden::GoldenMode::update_all);
    ASSERT_TRUE(std::filesystem::exists(item().golden_file));
  }

  void train(const std::string& arm, const Training& training) const {
    for (const std::string dtype : {"float32", "float64"}) {
      trace::Recorder::Options how;
      how.path = folder_ / "cases/topic" / (arm + "." + dtype + ".h5");
      how.config = training.config;
      how.provenance = {{"fingerprint", training.fingerprint}};
      how.capture.sketches = {{}};
      trace::Recorder recorder(std::move(how));
      for (int64_t step = 1; step <= 10; ++step) {
        const double loss = training.losses.at(static_cast<size_t>(step) - 1);
        const double plain = Training().losses.at(static_cast<size_t>(step) - 1);
        recorder.begin_step(step);
        recorder.channel("loss", dtype == "float64" ? plain * (step == 5 ? 1 + training.change64 : 1) : loss);
        recorder.channel("lr", 0.5);
        for (const auto& [phase, name] :
             {std::pair(trace::Phase::grad, "wq"), {trace::Phase::grad, "wk"}, {trace::Phase::param, "wk"}}) {
          const auto found =
              training.tensors.find(std::string(name_of(phase)) + " " + name + " " + std::to_string(step));
          const float value = found == training.tensors.end() ? 1.0F : found->second;
          const auto other = training.names.find(name);
          recorder.tensor(phase, other == training.names.end() ? name : other->second,
                          view_of(DType::float32, std::vector<float>(8, value)));
        }
        recorder.end_step();
      }
      recorder.finish();
    }
  }

  static std::string arm(const std::string& name) {
    return "[arms." + name + "]\ncommand = [\"cp\", \"{case_dir}/" + name +
           ".{dtype}.h5\", \"{run_dir}/trace.h5\"]\ninputs = [\"" + name + ".float32.h5\", \"" + name +
           ".float64.h5\"]\n";
  }
  suite::Case item(const std::string& more = "") const {
    return write_case("c", more + arm("a") + arm("b") +
                               "[[checks]]\nchannel = \"lr\"\nrelation = \"identical\"\nbecause = \"x\"\n");
  }

  SearchRecord search(const std::string& arm = "", const std::string& more = "") const {
    suite::SuiteOptions options;
    options.out = folder_ / "out";
    options.trainer = folder_ / "no-trainer-needed";
    options.jobs = 2;
    options.command = {"parity", "bisect"};
    Progress progress(stderr, false);
    return search_golden(item(more), arm, options, progress);
  }
  static const SearchStage* stage(const SearchRecord& record, const std::string& name) {
    for (const SearchStage& each : record.stages)
      if (each.name == name)
        return &each;
    return nullptr;
  }
  static std::string answer(const SearchRecord& record, const std::string& name) {
    const SearchStage* found = stage(record, name);
    return found == nullptr ? "" : found->answer;
  }
  static std::vector<std::string> names(const SearchRecord& record) {
    std::vector<std::string> all;
    for (const SearchStage& each : record.stages)
      all.push_back(each.name);
    return all;
  }
  std::filesystem::path golden() const { return folder_ / "golden/topic/c.h5"; }

  /// Writes a trainer that leaves the trace of arm a, and knows the key lr.decay with a default.
  void write_trainer() const {
    const std::filesystem::path trainer = folder_ / "no-trainer-needed";
    write_file(std::filesystem::path(trainer.string() + ".schema.json"),
               R"({"schema": "parity.config/1", "channels": ["loss", "lr"], "keys": {
  "steps": {"type": "integer", "default": 10},
  "threads": {"type": "integer", "default": 1},
  "dtype": {"type": "string", "default": "float32", "values": ["float32", "float64"]},
  "device": {"type": "string", "default": "cpu", "values": ["cpu"]},
  "lr.base": {"type": "number", "default": 0.5},
  "lr.decay": {"type": "string", "default": "linear", "values": ["linear", "cosine"]}}})");
    write_file(trainer,
               "#!/bin/sh\ndtype=float32\ngrep -q float64 \"$PARITY_CONFIG\" && dtype=float64\ncp '" +
                   (folder_ / "cases/topic/a.").string() + "'$dtype.h5 \"$PARITY_TRACE\"\n");
    std::filesystem::permissions(trainer, std::filesystem::perms::owner_all);
  }
  /// A case with an arm of that trainer.
  suite::Case trained(const std::string& keys) const {
    return write_case("c", "[arms.a]\n" + keys + arm("b") +
                               "[[checks]]\nchannel = \"lr\"\nrelation = \"identical\"\nbecause = \"x\"\n");
  }
  SearchRecord search_trained(const std::string& keys) const {
    suite::SuiteOptions options;
    options.out = folder_ / "out";
    options.trainer = folder_ / "no-trainer-needed";
    options.use_cache = false;  // the trainer is a script that copies another trace now
    options.command = {"parity", "bisect"};
    Progress progress(stderr, false);
    return search_golden(trained(keys), "a", options, progress);
  }
};

TEST_F(SearchGoldenTest, ARunThatIsItsGoldenDoesNotDiffer) {
  const SearchRecord record = search();
  EXPECT_FALSE(record.differs);
  EXPECT_EQ(record.sentence, "a and b do not differ from their golden");
  EXPECT_THAT(names(record), ElementsAre("golden", "curve"));
  EXPECT_THAT(answer(record, "golden"),
              AllOf(HasSubstr("2 channels over steps 1-10"), HasSubstr("of steps 1, 10")));
}

TEST_F(SearchGoldenTest, TheFirstStepTensorAndSizeAreTold) {
  Training other;
  other.losses[6] = 6.75;
  other.losses[7] = 6.5;
  other.tensors = {{"grad wk 10", 2.0F}, {"param wk 10", 3.0F}};
  train("b", other);
  const SearchRecord record = search();
  EXPECT_TRUE(record.differs);
  EXPECT_EQ(record.subject, "topic/c: b against its golden");
  EXPECT_EQ(record.sentence,
            "loss of b differs from the golden from step 7 on: 6.5 against 6.75; grad wk at step 10 is the "
            "first stored tensor that differs");
  EXPECT_THAT(names(record), ElementsAre("golden", "curve", "tensor", "unknown", "commits"));
  EXPECT_THAT(answer(record, "curve"),
              AllOf(HasSubstr("at step 7 of 10: 6.5 against 6.75"), HasSubstr("loss at 2 of 10 steps by ")));
  EXPECT_EQ(stage(record, "curve")->details.at("loss").at("actual").at(6), 6.75);
  EXPECT_THAT(answer(record, "tensor"),
              AllOf(HasSubstr("grad wk at step 10 is the first stored tensor"),
                    HasSubstr("(by 1); 2 of 3 differ; those of update 1 match the golden")));
  EXPECT_EQ(stage(record, "tensor")->details.at("path").at(0).at("name"), "wq") << "in order of execution";
  EXPECT_THAT(answer(record, "unknown"), HasSubstr("no tensor of updates 2 to 9"));
}

TEST_F(SearchGoldenTest, FirstArmToDiverge_IsReportedOthersAreNoted) {
  Training late, early;
  late.losses[8] = 1;
  early.losses[2] = 1;
  train("a", late);
  train("b", early);
  const SearchRecord both = search();
  EXPECT_THAT(both.sentence, HasSubstr("loss of b differs from the golden from step 3 on"));
  EXPECT_THAT(both.notes, ElementsAre(HasSubstr("a also differs, but no earlier")));
  EXPECT_THAT(search("a").sentence, HasSubstr("loss of a differs from the golden from step 9 on"));
  EXPECT_TRUE(search("a").notes.empty());
}

TEST_F(SearchGoldenTest, WhatDiffersBeforeTrainingStartsComesFirst) {
  Training other;
  other.change64 = 0.5;
  other.losses[4] = 8.5;
  other.config = {{"lr", {{"base", 0.25}}}, {"new", 1}};
  other.fingerprint = {{"torch", "2"}, {"initial_weights", "def"}};
  train("a", other);
  const SearchRecord record = search("a");
  EXPECT_THAT(names(record), ElementsAre("golden", "config", "environment", "weights", "curve", "tensor",
                                         "unknown", "commits"));
  EXPECT_EQ(
      record.sentence,
      "different before training starts: config (lr.base is 0.5 in the golden and 0.25 here), environment "
      "(torch is \"1\" in the golden and \"2\" here) and first weights (initial_weights is \"abc\" in the "
      "golden and \"def\" here); loss of a differs from the golden from step 5 on: 7 against 10.5");
  EXPECT_THAT(answer(record, "config"), Not(HasSubstr("new"))) << "the default of a command's key is unknown";
  EXPECT_THAT(record.notes, Contains(HasSubstr("lacks new (1)")));
}

TEST_F(SearchGoldenTest, TraceWithoutConfig_GivenKeyIsNamed) {
  Training bare;
  bare.config = Json::object();
  bare.fingerprint = Json::object();
  train("a", bare);
  run({item("[base]\nlr = 0.01\nschedule = \"linear\"\n")}, golden::GoldenMode::update_all);
  bare.losses[4] = 8.5;
  train("a", bare);
  const SearchRecord record = search("a", "[base]\nlr = 0.02\nschedule = \"linear\"\n");
  EXPECT_THAT(
      record.sentence,
      HasSubstr("before training starts: config (lr is 0.01 in the golden and 0.02 here); loss of a"));
  ASSERT_NE(stage(record, "config"), nullptr);
  EXPECT_EQ(stage(record, "config")->details.at("keys"),
            Json::array({{{"key", "lr"}, {"expected", 0.01}, {"actual", 0.02}}}));
  EXPECT_THAT(record.notes, ElementsAre(HasSubstr("the golden stores no environment of a")));
  const SearchRecord same = search("a", "[base]\nlr = 0.01\nschedule = \"linear\"\n");
  EXPECT_EQ(stage(same, "config"), nullptr) << same.sentence;
}

TEST_F(SearchGoldenTest, GoldenWithoutConfig_SaysThatItIsUnknown) {
  Training bare;
  bare.config = Json::object();
  train("a", bare);
  run({item("[base]\nlr = 0.01\n")}, golden::GoldenMode::update_all);
  golden::Golden older = golden::read_golden(golden());
  older.arms.at("a").given = nullptr;  // as before schema 1.4
  golden::write_golden(golden(), older);
  bare.losses[4] = 8.5;
  train("a", bare);
  const SearchRecord record = search("a", "[base]\nlr = 0.02\n");
  EXPECT_EQ(stage(record, "config"), nullptr);
  EXPECT_THAT(
      record.notes,
      ElementsAre(HasSubstr("the golden stores no config of a, so whether lr (0.02) changed is unknown")));
}

TEST_F(SearchGoldenTest, TensorsOfOneSide_AreCountedAndNamed) {
  Training other;
  other.names = {{"wk", "wz"}};
  train("b", other);
  const SearchRecord record = search("b");
  EXPECT_TRUE(record.differs);
  EXPECT_EQ(
      answer(record, "tensor"),
      "of the gradients and parameters of update 1 and 10, 2 that both have match the golden; not "
      "compared: 4 tensors that b did not record (grad wk at step 1, param wk at step 1, grad wk at step "
      "10 and 1 more) and 4 tensors that the golden does not store (grad wz at step 1, param wz at step "
      "1, grad wz at step 10 and 1 more)");
  const Json rows = stage(record, "tensor")->details.at("not_compared");
  ASSERT_EQ(rows.size(), 8U);
  EXPECT_EQ(rows.at(0), (Json{{"step", 1}, {"phase", "grad"}, {"name", "wk"}, {"only_in", "golden"}}));
  EXPECT_EQ(rows.at(1), (Json{{"step", 1}, {"phase", "grad"}, {"name", "wz"}, {"only_in", "b"}}));
  other.tensors = {{"grad wq 10", 2.0F}};
  train("b", other);
  EXPECT_THAT(answer(search("b"), "tensor"),
              AllOf(HasSubstr("grad wq at step 10 is the first stored tensor"), HasSubstr("1 of 1 differ"),
                    HasSubstr("not compared: 4 tensors that b did not record")));
  other.names["wq"] = "wy";
  train("b", other);
  EXPECT_THAT(answer(search("b"), "tensor"), AllOf(HasSubstr("no stored gradient or parameter was compared"),
                                                   HasSubstr("6 tensors that b did not record")));
}

TEST_F(SearchGoldenTest, NewKeyOfTheTrainer_CountsUnlessItsDefault) {
  write_trainer();
  run({trained("")}, golden::GoldenMode::update_all, false);
  Training other;
  other.losses[4] = 8.5;
  other.config["lr"]["decay"] = "linear";
  train("a", other);
  const SearchRecord usual = search_trained("");
  EXPECT_TRUE(usual.differs);
  EXPECT_THAT(names(usual), Not(Contains("config"))) << usual.sentence;
  EXPECT_TRUE(usual.notes.empty());
  other.config["lr"]["decay"] = "cosine";
  train("a", other);
  const SearchRecord record = search_trained("lr.decay = \"cosine\"\n");
  EXPECT_THAT(record.sentence,
              HasSubstr("before training starts: config (lr.decay (\"cosine\") is absent in the golden)"));
  ASSERT_NE(stage(record, "config"), nullptr);
  EXPECT_EQ(stage(record, "config")->details.at("keys"),
            Json::array({{{"key", "lr.decay"}, {"expected", nullptr}, {"actual", "cosine"}}}));
  EXPECT_THAT(stage(record, "config")->command, HasSubstr("parity bisect options"));
}

TEST_F(SearchGoldenTest, DriftIsNoDifference) {
  Training other;
  other.losses[4] *= 1 + 1e-7;
  other.change64 = 1e-16;
  other.fingerprint["torch"] = "2";
  train("a", other);
  const SearchRecord drifted = search("a");
  EXPECT_FALSE(drifted.differs);
  EXPECT_THAT(drifted.sentence, HasSubstr("a differs from its golden only by drift: torch is"));
}

TEST_F(SearchGoldenTest, InAnotherEnvironmentTheTwinsTellTheStep) {
  Training other;
  for (double& loss : other.losses)
    loss *= 1 + 1e-7;
  other.change64 = 0x1p-10;
  other.fingerprint["torch"] = "2";
  train("a", other);
  const SearchRecord record = search("a");
  EXPECT_THAT(record.sentence,
              HasSubstr("loss of a differs from the golden from step 5 on: 7 against 7.006836"));
  EXPECT_THAT(answer(record, "curve"), HasSubstr("measured in the float64 twins"));
}

TEST_F(SearchGoldenTest, BoundedQuantity_DiffersBeyondItsBound) {
  compare::Floors floors;
  floors.kinds = {"twin"};
  floors.arms["a"].config = Training().config;
  for (int64_t step = 1; step <= 10; ++step)
    floors.arms["a"].rows.push_back({"loss", step, 7, {1e-4}});
  golden::record_floors(golden(), {"topic/c", "parity", "", ""}, floors);
  const std::string bounded =
      "[[checks]]\nchannel = \"loss\"\narms = [\"a\"]\nagainst = \"golden\"\nrelation = \"bounded\"\nbecause "
      "= "
      "\"x\"\n";
  Training other;
  other.losses[2] += 1e-4;  // a floor; the bound is 8
  train("a", other);
  const auto searched = [&] {
    suite::SuiteOptions options;
    options.out = folder_ / "out";
    options.trainer = folder_ / "no-trainer-needed";
    Progress progress(stderr, false);
    return search_golden(write_case("c", arm("a") + arm("b") + bounded), "a", options, progress);
  };
  EXPECT_FALSE(searched().differs);
  other.losses[5] += 1e-2;
  train("a", other);
  EXPECT_THAT(searched().sentence, HasSubstr("loss of a differs from the golden from step 6 on"))
      << "step 3 is noise";
}

TEST_F(SearchGoldenTest, ARunThatEndsEarlySaysHowFarItAgrees) {
  write_file(
      folder_ / "cases/topic/c.toml",
      "[arms.a]\ncommand = [\"/bin/sh\", \"-c\", \"cp {case_dir}/a.float32.h5 {run_dir}/trace.h5; echo no "
      "memory >&2; exit 3\"]\n" +
          arm("b") + "[[checks]]\nchannel = \"lr\"\nrelation = \"identical\"\nbecause = \"x\"\n");
  suite::SuiteOptions options;
  options.out = folder_ / "out";
  options.trainer = folder_ / "no-trainer-needed";
  Progress progress(stderr, false);
  const SearchRecord record =
      search_golden(suite::read_case(folder_ / "cases/topic/c.toml"), "a", options, progress);
  EXPECT_TRUE(record.differs);
  EXPECT_THAT(record.sentence, AllOf(HasSubstr("a ends after update 10"),
                                     HasSubstr("until then its channels match the golden")));
}

TEST_F(SearchGoldenTest, WhatIsNotThereIsRefusedWithWhatToDo) {
  const auto refusal = [&](const std::string& arm, const std::string& more = "") -> std::string {
    try {
      search(arm, more);
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(refusal("aa"), AllOf(HasSubstr("has no arm 'aa'"), HasSubstr("known: a, b")));
  EXPECT_THAT(refusal("b", "[golden]\narms = [\"a\"]\n"), HasSubstr("does not store arm 'b'"));
  EXPECT_THAT(refusal("", "[golden]\narms = []\n"), HasSubstr("stores no golden"));
  const auto edit = [&](const std::string& line) {
    const std::string script =
        "import h5py, sys\nf = h5py.File(sys.argv[1], 'r+')\n" + line + "\nf.close()\n";
    ASSERT_EQ(run_python(folder_, script, golden().string()).status, 0);
  };
  edit("f['arms/a/channels/loss'][2] = 7.25");
  EXPECT_THAT(refusal(""), HasSubstr("edited or damaged"));
  edit("f.attrs['schema'] = 'parity.golden/0.9'");
  EXPECT_THAT(refusal(""),
              AllOf(HasSubstr("its schema is 'parity.golden/0.9'"), HasSubstr("written by parity 0"),
                    HasSubstr("parity golden record topic/c --reason")));
  std::filesystem::remove(golden());
  EXPECT_THAT(refusal(""), AllOf(HasSubstr("there is no golden"), HasSubstr("parity golden record")));
}

}  // namespace
}  // namespace parity::bisect
