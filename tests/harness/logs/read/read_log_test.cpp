// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <fmt/format.h>

#include "tests/harness/logs/log_fixture.hpp"

namespace parity::logs {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(JsonLines, NestedNames_BecomeChannels) {
  const Log log = json_lines(
      "{\"step\": 1, \"loss_metrics\": {\"global_avg_loss\": 2.5}, \"lr\": 1e-3, \"tps\": 10}\n"
      "{\"step\": 2, \"loss_metrics\": {\"global_avg_loss\": NaN}, \"lr\": 2e-3, \"note\": \"NaN, "
      "\\\"NaN\"}\n");
  EXPECT_EQ(log.channels.at("loss").steps, (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(log.channels.at("loss").values[0], 2.5);
  EXPECT_TRUE(std::isnan(log.channels.at("loss").values[1]));
  EXPECT_THAT(log.channels.at("lr").values, ElementsAre(1e-3, 2e-3));
  EXPECT_EQ(log.channels.at("tokens_per_second").kind, trace::ChannelKind::timing);
  EXPECT_EQ(log.text(), "a.jsonl: JSON lines, 2 steps, 3 channels");
}

TEST(JsonLines, RepeatedSteps_LastWins) {
  const Log log = json_lines(
      "{\"step\": 1, \"loss\": 5}\n{\"step\": 2, \"loss\": 9}\n{\"step\": 2, \"loss\": 4}\n{\"step\": 3, "
      "\"loss\": 3}\n");
  EXPECT_THAT(log.channels.at("loss").values, ElementsAre(5, 4, 3));
  EXPECT_THAT(log.notes, Contains(HasSubstr("1 step is repeated, first 2; the last value of each counts")));
}

TEST(JsonLines, RepeatedForm_IsReadAlike) {
  // The second line has the form of the first one, so only its numbers are parsed. The others have not.
  const Log log = json_lines(
      "{\"step\": 1, \"list\": [1, 2], \"loss\": 0.1}\n{\"step\": 2, \"list\": [3, 4], \"loss\": "
      "0.30000000000000004}\n{\"loss\": 5, \"step\": 3}\n{\"step\": 4, \"list\": [], \"loss\": null}\n");
  EXPECT_THAT(log.channels.at("loss").steps, ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(log.channels.at("loss").values[1], 0.1 + 0.2);
  EXPECT_EQ(log.channels.at("loss").values[2], 5);
  EXPECT_EQ(log.channels.size(), 1U);
}

TEST(JsonLines, TwoStepNumbers_TheTrainersCounts) {
  const Log log = json_lines("{\"_step\": 7, \"train/global_step\": 70, \"loss\": 1}\n");
  EXPECT_THAT(log.channels.at("loss").steps, ElementsAre(70));
  EXPECT_THAT(log.notes, Contains("_step is left out, since 'train/global_step' is the step number"));
}

TEST(JsonLines, MixedStepNumbers_AreRefused) {
  const std::string text = "{\"step\": 1, \"loss\": 1}\n{\"_step\": 2, \"loss\": 1}\n";
  EXPECT_THAT(message_of([&] { json_lines(text); }),
              HasSubstr("line 2: the step is '_step', and 'step' in rows before"));
  EXPECT_THAT(json_lines(text, {{"step", "step"}, {"_step", "step"}}).channels.at("loss").steps,
              ElementsAre(1, 2));
  EXPECT_THAT(json_lines("{\"mine\": 4, \"loss\": 1}\n", {{"mine", "step"}}).channels.at("loss").steps,
              ElementsAre(4));
}

TEST(TrainerState, History_BecomesChannels) {
  const Log log = trainer_state(
      "{\n \"global_step\": 20,\n \"log_history\": [\n"
      "  {\"step\": 10, \"loss\": 2.0, \"learning_rate\": 1e-4, \"grad_norm\": 1.5},\n"
      "  {\"step\": 20, \"loss\": 1.0, \"learning_rate\": 5e-5, \"grad_norm\": 1.25},\n"
      "  {\"step\": 20, \"train_loss\": 1.5, \"train_runtime\": 3.0}\n ]\n}\n");
  EXPECT_THAT(log.channels.at("loss").values, ElementsAre(2.0, 1.0));
  EXPECT_THAT(log.channels.at("lr").values, ElementsAre(1e-4, 5e-5));
  EXPECT_THAT(log.channels.at("train_loss").values, ElementsAre(1.5));  // the mean, not the loss of step 20
  EXPECT_EQ(log.channels.at("train_runtime").kind, trace::ChannelKind::timing);
}

TEST(Table, QuotesAndEmptyCells_AreRead) {
  const Log log = table("step,\"a \"\"b\"\", c\",train/loss\r\n1,2,3.5\r\n2,,nan\r\n3.0,\"4\",1e-2\r\n");
  EXPECT_THAT(log.channels.at("a \"b\", c").steps, ElementsAre(1, 3));
  EXPECT_THAT(log.channels.at("loss").steps, ElementsAre(1, 2, 3));
  EXPECT_EQ(log.format, "CSV");
  EXPECT_EQ(table("Step\tloss\n0\t1\n").format, "TSV");
}

TEST(Table, ExportOfAChart_LosesItsRunAndItsExtremes) {
  const std::string one =
      "\"Step\",\"calm-sea-1 - train/loss\",\"calm-sea-1 - train/loss__MIN\",\"calm-sea-1 - "
      "train/loss__MAX\"";
  const Log log = table(one + "\n\"1\",\"2.5\",\"2.4\",\"2.6\"\n\"2\",\"2\",\"2\",\"2\"\n");
  EXPECT_THAT(log.channels.at("loss").values, ElementsAre(2.5, 2));
  EXPECT_EQ(log.channels.size(), 1U);
  EXPECT_THAT(log.notes, Contains(HasSubstr("exported by W&B, run 'calm-sea-1'")));

  const std::string two =
      one + ",b - train/loss,b - train/loss__MIN,b - train/loss__MAX\n1,2.5,2.5,2.5,3,3,3\n";
  EXPECT_THAT(message_of([&] { table(two); }), HasSubstr("an export of 2 runs: 'b' and 'calm-sea-1'"));
  EXPECT_THAT(table(two, {{"b - train/loss", "loss"}}).channels.at("loss").values, ElementsAre(3));

  EXPECT_THAT(table("step,a - b\n1,2\n").channels.at("a - b").values, ElementsAre(2));
}

TEST(Table, ManyShortLinesInQuotes_AreRefused) {
  EXPECT_THAT(message_of([] { table("step,loss\n1,\"" + std::string(longest_line + 10, '\n')); }),
              HasSubstr("a record longer than"));
}

TEST(Table, Words_AreCounted) {
  EXPECT_THAT(table("step,loss,phase\n1,2,warm\n2,1,warm\n").notes,
              ElementsAre("2 cells of 'phase' hold no number and are left out, first 'warm'"));
}

TEST(Table, ColumnOfATraining_NeedsNumbers) {
  for (const char* name : {"loss", "grad_norm", "lr", "val_loss", "tokens", "mine"})
    for (const char* text : {"diverged", "1.5.2", "\"1,13\""})
      EXPECT_THAT(message_of([&] {
                    table(fmt::format("step,aux,{}\n1,2,3\n2,3,{}\n", name, text), {{"mine", "best"}});
                  }),
                  AllOf(HasSubstr("a.csv (line 3: "), HasSubstr("expected a number")))
          << name << text;
  EXPECT_THAT(message_of([] { table("step\tloss\n1\t7,13\n"); }),
              HasSubstr("'loss' is '7,13', expected a number"));
  for (const char* blank : {"", "NA", "None", " null ", "-"})
    EXPECT_THAT(table(fmt::format("step,loss,eval_loss\n1,2,{}\n2,1,{}\n", blank, blank)).notes, IsEmpty());
}

TEST(Table, GroupsOfDigits_AreOneNumber) {
  const Log log = table("step,loss,tokens\n\"1,000\",2,\"1,048,576\"\n\"1,001\",1,\"-12,345.5\"\n");
  EXPECT_THAT(log.channels.at("loss").steps, ElementsAre(1000, 1001));
  EXPECT_THAT(log.channels.at("tokens").values, ElementsAre(1048576, -12345.5));
  for (const char* text : {"1,23", "1,2345", "0,123", ",123", "1234,567", "1,,234", "1.5,000", "1,234,"})
    EXPECT_THAT(table(fmt::format("step,loss,x\n1,2,\"{}\"\n", text)).channels.size(), 1U) << text;
  EXPECT_THAT(message_of([] { table("step,sum\n1,\"9,007,199,254,740,993\"\n"); }), HasSubstr("2^53"));
}

TEST(JsonLines, QuotedDecimal_IsANumber) {
  const Log log = json_lines(
      "{\"step\": \"1\", \"loss\": \"2.5\", \"x\": {\"y\": \"-1e-3\"}, \"run\": \"a1\"}\n{\"step\": \"2\", "
      "\"loss\": "
      "\"2.25\", \"x\": {\"y\": \"0\"}, \"run\": \"a1\"}\n");
  EXPECT_THAT(log.channels.at("loss").steps, ElementsAre(1, 2));
  EXPECT_THAT(log.channels.at("loss").values, ElementsAre(2.5, 2.25));
  EXPECT_THAT(log.channels.at("x/y").values, ElementsAre(-1e-3, 0));
  EXPECT_EQ(log.channels.size(), 2U);
  // An integer that float64 does not hold can still be logged as text.
  EXPECT_EQ(json_lines("{\"step\": 1, \"loss\": 2, \"sum\": \"9007199254740993\"}\n").channels.size(), 1U);
}

TEST(JsonLines, TextForANumber_IsRefused) {
  EXPECT_THAT(
      message_of([] { json_lines("{\"step\": 1, \"loss\": 2}\n{\"step\": 2, \"loss\": \"1,13\"}\n"); }),
      HasSubstr("line 2: 'loss' is '1,13', expected a number"));
  EXPECT_THAT(json_lines("{\"step\": 1, \"loss\": 2, \"eval_loss\": \"N/A\"}\n").channels.size(), 1U);
}

TEST(JsonLines, ListsAndTruthValues_AreNamed) {
  const Log log = json_lines(
      "{\"step\": 1, \"loss\": 2, \"layers\": [1, [2, true]]}\n{\"step\": 2, \"loss\": 1, \"a\": "
      "{\"skipped\": true}}\n");
  EXPECT_THAT(log.notes, ElementsAre("lists and truth values are left out: a/skipped and layers"));
}

TEST(JsonLines, Null_IsNan) {
  const Log log = json_lines("{\"step\": 1, \"loss\": null}\n");
  EXPECT_TRUE(std::isnan(log.channels.at("loss").values.at(0)));
}

TEST(Table, MappedName_WinsOverTheTable) {
  const Log log = table("step,loss,mine\n1,5,6\n", {{"mine", "loss"}});
  EXPECT_THAT(log.channels.at("loss").values, ElementsAre(6));
  EXPECT_FALSE(log.channels.contains("mine"));
}

TEST(Text, NanoGpt_IsKnown) {
  const Log log = text_lines(
      "compiling the model...\nstep 0: train loss 10.9886, val loss 10.9906\n"
      "iter 0: loss 10.9887, time 30.50ms, mfu -100.00%\niter 10: loss nan, time 30.50ms, mfu 1.00%\n");
  EXPECT_EQ(log.format, "nanoGPT text");
  EXPECT_EQ(log.channels.at("loss").values[0], 10.9887);
  EXPECT_TRUE(std::isnan(log.channels.at("loss").values[1]));
  EXPECT_EQ(log.channels.at("time_ms").kind, trace::ChannelKind::timing);
  EXPECT_THAT(log.channels.at("eval_loss").values, ElementsAre(10.9906));
}

TEST(Text, Megatron_IsKnown) {
  const Log log = text_lines(
      " [2025-01-01 00:00:00] iteration       10/     100 | consumed samples:          160 | elapsed time "
      "per "
      "iteration (ms): 512.3 | learning rate: 1.500000E-04 | global batch size:    16 | lm loss: "
      "3.201000E+00 | "
      "loss scale: 1.0 | grad norm: 1.250 | number of skipped iterations:   0 | number of nan iterations:   "
      "0 |\n");
  EXPECT_EQ(log.format, "Megatron text");
  EXPECT_THAT(log.channels.at("loss").values, ElementsAre(3.201));
  EXPECT_THAT(log.channels.at("lr").values, ElementsAre(1.5e-4));
  EXPECT_THAT(log.channels.at("grad_norm").values, ElementsAre(1.25));
  EXPECT_THAT(log.channels.at("loss").steps, ElementsAre(10));
  EXPECT_EQ(log.channels.at("elapsed time per iteration (ms)").kind, trace::ChannelKind::timing);
}

TEST(Text, DeepSpeed_IsKnown) {
  const Log log = text_lines(
      "[2025-01-01 00:00:00,000] [INFO] [logging.py:96:log_dist] [Rank 0] step=10, skipped=0, lr=[0.0001, "
      "0.0001], "
      "mom=[[0.9, 0.95]]\nsteps: 10 loss: 3.2012 iter time (s): 0.512 samples/sec: 31.250\n");
  EXPECT_THAT(log.channels.at("lr").values, ElementsAre(0.0001));
  EXPECT_THAT(log.channels.at("loss").values, ElementsAre(3.2012));
}

TEST(Text, Torchtitan_IsKnown) {
  const Log log = text_lines(
      "[rank0]:[titan] 2026-11-24 10:00:00,000 - root - INFO - \x1b[31mstep:  1  \x1b[32mloss:  8.12345  "
      "\x1b[38;2;180;60;0mgrad_norm:  1.2345  \x1b[36mmemory:  3.20GiB(4.00%)  tps: 1,234\x1b[39m\n"
      "[rank0]:[titan] 2026-11-24 10:00:01,000 - root - INFO - step: 10  loss:      nan  memory:  3.20GiB\n");
  EXPECT_EQ(log.format, "torchtitan text");
  EXPECT_THAT(log.channels.at("loss").steps, ElementsAre(1, 10));
  EXPECT_EQ(log.channels.at("loss").values[0], 8.12345);
  EXPECT_TRUE(std::isnan(log.channels.at("loss").values[1]));
  EXPECT_THAT(log.channels.at("grad_norm").values, ElementsAre(1.2345));
}

TEST(Text, DictsOfATrainer_AreNumbered) {
  const Log log = text_lines(
      "  0%|          | 0/4 {'loss': 2.5, 'grad_norm': nan, 'learning_rate': 0.0001, 'epoch': 0.25}\n"
      "{'eval_loss': 2.25, 'eval_runtime': 0.1, 'epoch': 0.25}\n"
      "{'loss': '2.4', 'grad_norm': '1.5', 'learning_rate': '2e-04', 'epoch': '0.5'}\n"
      "{'train_runtime': 1.5, 'train_loss': 2.45, 'epoch': 0.5}\n");
  EXPECT_EQ(log.format, "Hugging Face text");
  EXPECT_THAT(log.channels.at("loss").steps, ElementsAre(1, 2));
  EXPECT_THAT(log.channels.at("loss").values, ElementsAre(2.5, 2.4));
  EXPECT_THAT(log.channels.at("lr").values, ElementsAre(1e-4, 2e-4));
  EXPECT_TRUE(std::isnan(log.channels.at("grad_norm").values[0]));
  EXPECT_THAT(log.channels.at("eval_loss").steps, ElementsAre(1));
  EXPECT_THAT(log.notes, Contains(HasSubstr("have no step: those with a loss are numbered from 1")));
  EXPECT_FALSE(log.channels.contains("train_loss"));
}

TEST(Text, OwnPattern_NamesTheChannels) {
  const Log log =
      text_lines("[s3] L=2.5\nother\n[s4] L=2.25\n", R"(\[s(?P<step>\d+)\] (?:L|loss)=(?<loss>[0-9.]+))");
  EXPECT_THAT(log.channels.at("loss").steps, ElementsAre(3, 4));
  EXPECT_THAT(log.channels.at("loss").values, ElementsAre(2.5, 2.25));
  EXPECT_THAT(log.notes, Contains("1 of 3 lines have no values"));
}

TEST(Text, BadPattern_IsRefused) {
  for (const char* pattern :
       {"(?<step>[0-9]+", "(?<step>[0-9]+)", "(?=x)(?<step>a)(?<b>c)", "(?<step>*)(?<b>[)"})
    EXPECT_THAT(message_of([&] { text_lines("x\n", pattern); }), HasSubstr("--pattern")) << pattern;
}

}  // namespace
}  // namespace parity::logs
