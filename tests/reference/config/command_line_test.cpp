// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/config/command_line.hpp"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"

namespace parity::reference {
namespace {

using testing::HasSubstr;
using Variables = std::map<std::string, std::string>;

Invocation parse(const std::vector<std::string>& arguments, const Variables& variables = {}) {
  return parse_command_line(arguments, [&](const char* name) {
    const auto found = variables.find(name);
    return found != variables.end() ? found->second : std::string();
  });
}

std::string error_of(const std::vector<std::string>& arguments, const Variables& variables = {}) {
  try {
    parse(arguments, variables);
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

std::string config_file() {
  const std::string path = testing::TempDir() + "command_line_test.json";
  write_file(path, R"({"steps": 7, "lr": {"base": 0.5}})");
  return path;
}

TEST(CommandLineTest, EnvironmentAloneIsEnough) {
  const Invocation run = parse({}, {{"PARITY_CONFIG", config_file()},
                                    {"PARITY_TRACE", "t.h5"},
                                    {"PARITY_CAPTURE", "c.json"},
                                    {"PARITY_DTYPE", "float64"},
                                    {"PARITY_CHECKPOINT_DIR", "k"},
                                    {"PARITY_HEARTBEAT", "h"}});
  EXPECT_EQ(run.config.steps, 7);
  EXPECT_EQ(run.config.dtype, Precision::float64);
  EXPECT_EQ(run.trace, "t.h5");
  EXPECT_EQ(run.capture, "c.json");
  EXPECT_EQ(run.checkpoint_dir, "k");
  EXPECT_EQ(run.heartbeat, "h");
}

TEST(CommandLineTest, WeightsAreLoadedFromAndSavedToFilesWithNames) {
  const Invocation run = parse({config_file(), "--load-weights", "first", "--save-weights",
                                "last.safetensors", "--weights-names", "hugging_face"});
  EXPECT_EQ(run.config.weights.path, "first");
  EXPECT_EQ(run.save_weights, "last.safetensors");
  EXPECT_EQ(run.weights_names, WeightNames::hugging_face);
  EXPECT_EQ(parse({config_file(), "--save-weights", "x"}).weights_names, WeightNames::torchtitan);
  EXPECT_THAT(error_of({config_file(), "--weights-names", "hugging_face"}),
              HasSubstr("give --save-weights FILE"));
  EXPECT_THAT(error_of({config_file(), "--save-weights", "x", "--weights-names", "huggingface"}),
              HasSubstr("did you mean 'hugging_face'?"));
}

TEST(CommandLineTest, NamesThatCannotBeSaved_AreRefused) {
  for (const char* name : {".safetensors.index.json", "out/.safetensors.index.json", "x.index.json", "x.pt",
                           "pytorch_model.bin", "x.safetensor", "/"})
    EXPECT_THAT(error_of({config_file(), "--save-weights", name}),
                HasSubstr("name NAME.safetensors, NAME.safetensors.index.json for shards, or FOLDER/"))
        << name;
  for (const char* name : {"x", "x.v2.safetensors", "out/x.safetensors.index.json", "out/", "out.v2/"})
    EXPECT_EQ(parse({config_file(), "--save-weights", name}).save_weights, name);
}

TEST(CommandLineTest, Arguments_OverrideEnvironmentSettingsTheFile) {
  const Invocation run =
      parse({config_file(), "--set", "steps=9", "--trace", "mine.h5", "--dtype", "float32",
             "--checkpoint-dir", "k", "--stop-after", "4", "--quiet"},
            {{"PARITY_CONFIG", "other.json"}, {"PARITY_TRACE", "t.h5"}, {"PARITY_DTYPE", "float64"}});
  EXPECT_EQ(run.config.steps, 9);
  EXPECT_EQ(run.config.lr.base, 0.5);
  EXPECT_EQ(run.config.dtype, Precision::float32);
  EXPECT_EQ(run.trace, "mine.h5");
  EXPECT_EQ(run.stop_after, 4);
  EXPECT_TRUE(run.quiet);
  EXPECT_FALSE(run.resume);
}

TEST(CommandLineTest, SaysWhatIsWrong) {
  EXPECT_THAT(error_of({}), HasSubstr("no config"));
  EXPECT_THAT(error_of({"--trase", "x"}), HasSubstr("did you mean '--trace'"));
  EXPECT_THAT(error_of({"a.toml", "b.toml"}), HasSubstr("two config files, a.toml and b.toml"));
  EXPECT_THAT(error_of({"--trace"}), HasSubstr("--trace has no value"));
  EXPECT_THAT(error_of({"--stop-after", "0"}), HasSubstr("--stop-after 0"));
  EXPECT_THAT(error_of({"--stop-after", "3x"}), HasSubstr("--stop-after 3x"));
  EXPECT_THAT(error_of({"--set", "steps=2", "--resume"}), HasSubstr("--checkpoint-dir"));
  EXPECT_THAT(error_of({"--set", "steps=2", "--stop-after", "3", "--checkpoint-dir", "k"}),
              HasSubstr("--stop-after 3 is after the end (steps = 2)"));
  EXPECT_THAT(error_of({"--set", "steps=2", "--checkpoint-every", "1"}),
              HasSubstr("--checkpoint-every needs"));
  EXPECT_THAT(error_of({"--set", "steps=2", "--resume", "--start-from", "k"}), HasSubstr("give one of them"));
  EXPECT_THAT(error_of({"--set", "steps=2", "--collect-trace"}), HasSubstr("give --trace FILE"));
  EXPECT_THAT(error_of({"--set", "steps=2"}, {{"PARITY_DTYPE", "bfloat16"}}),
              HasSubstr("dtype = 'bfloat16'"));
  EXPECT_THAT(error_of({"--set", "steps=0"}), HasSubstr("steps = 0"));
}

TEST(CommandLineTest, HelpNamesEveryOption) {
  for (const char* option : {"--set", "--trace", "--capture", "--stop-after", "--resume", "--dtype",
                             "--quiet", "--estimate", "--schema", "--checkpoint-dir", "--version", "--help",
                             "--checkpoint-every", "--start-from", "--collect-trace"})
    EXPECT_THAT(std::string(help_text()), HasSubstr(option));
  EXPECT_EQ(parse({"--schema"}).action, Invocation::Action::print_schema);
  const Invocation estimate =
      parse({"--set", "model=llama3.8b", "--set", "parallel.dp_shard=2", "--estimate"});
  EXPECT_EQ(estimate.action, Invocation::Action::estimate);
  EXPECT_EQ(estimate.config.parallel.dp_shard, 2);
  EXPECT_EQ(parse({"--help"}).action, Invocation::Action::print_help);
}

}  // namespace
}  // namespace parity::reference
