// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "reference/config/channels.hpp"
#include "tests/support/places.hpp"
#include "tests/support/train_fixture.hpp"

namespace parity::reference {
namespace {

using testing::HasSubstr;

class ParityTrainTest : public TrainProgramTest {
 protected:
  std::string last_line(const std::string& output) const {
    const size_t end = output.find_last_not_of('\n');
    const size_t begin = output.rfind('\n', end);
    return output.substr(begin == std::string::npos ? 0 : begin + 1, end - begin);
  }
};

TEST_F(ParityTrainTest, LeavesATraceOfEveryChannel) {
  const auto config = write_config(small());
  const CommandResult result = train(config.string() + " --trace " + trace_path().string());
  ASSERT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("step 10/10  loss "));
  const trace::Trace trace = trace::Trace::open(trace_path());
  EXPECT_TRUE(trace.complete());
  EXPECT_EQ(trace.last_step(), 10);
  std::vector<std::string> numeric, timing;
  for (const auto& [name, channel] : trace.channels())
    (channel.kind == trace::ChannelKind::timing ? timing : numeric).push_back(name);
  EXPECT_THAT(numeric,
              testing::ElementsAre("batch_digest", "grad_norm", "loss", "lr", "update_norm", "valid_tokens"));
  EXPECT_THAT(timing, testing::ElementsAre("step_seconds", "tokens_per_second"));
  std::vector<std::string> listed;
  for (const reference::ChannelRow& row : reference::channels())
    if (row.always)
      listed.push_back(row.name);
  numeric.insert(numeric.end(), timing.begin(), timing.end());
  EXPECT_THAT(numeric, testing::UnorderedElementsAreArray(listed));
  EXPECT_EQ(trace.config()["architecture"]["dim"], 32);
  const Json& fingerprint = trace.provenance()["fingerprint"];
  EXPECT_EQ(fingerprint["aten_capability"], "AVX2");
  EXPECT_EQ(fingerprint["mkl_cbwr"], "AVX2,STRICT");
  EXPECT_EQ(fingerprint["threads"], 1);
  EXPECT_EQ(fingerprint["initial_weights"].get<std::string>().size(), 32U);
  EXPECT_THAT(trace.provenance().dump(), testing::Not(HasSubstr("/tmp")));
}

TEST_F(ParityTrainTest, RecordsWeightDecayWhereItMoves) {
  const auto config = write_config({{"steps", 4},
                                    {"lr.schedule", "megatron"},
                                    {"optimizer.weight_decay", 0.5},
                                    {"optimizer.weight_decay_ramp", "linear"},
                                    {"architecture.dim", 32},
                                    {"architecture.n_layers", 1},
                                    {"data.seq_len", 16}});
  const CommandResult result = train(config.string() + " --trace " + trace_path().string());
  ASSERT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(channel_of(trace::Trace::open(trace_path()), "weight_decay"),
              testing::ElementsAre(0, 0.125, 0.25, 0.375));
}

TEST_F(ParityTrainTest, Trace_HasInitialParamsGradientsAndUpdates) {
  const auto config = write_config(small());
  write_file(folder / "capture.json",
             R"({"tensors": [{"steps": [0, 2], "phases": [], "names": ["layers.1.*wq*"]}]})");
  const CommandResult result =
      train("--quiet --stop-after 2 --checkpoint-dir " + folder.string(),
            "PARITY_CONFIG=" + config.string() + " PARITY_TRACE=" + trace_path().string() +
                " PARITY_CAPTURE=" + (folder / "capture.json").string() +
                " PARITY_HEARTBEAT=" + (folder / "beat").string());
  ASSERT_EQ(result.status, 0) << result.output;
  EXPECT_EQ(result.output, "");
  const trace::Trace trace = trace::Trace::open(trace_path());
  const std::string name = "layers.1.attention.wq.weight";
  const std::string part = "layers.1.attention.wq";
  EXPECT_THAT(trace.tensors(), testing::ElementsAre(trace::TensorKey{0, trace::Phase::param, name},
                                                    trace::TensorKey{2, trace::Phase::forward, part},
                                                    trace::TensorKey{2, trace::Phase::backward, part},
                                                    trace::TensorKey{2, trace::Phase::grad, name},
                                                    trace::TensorKey{2, trace::Phase::grad_clipped, name},
                                                    trace::TensorKey{2, trace::Phase::param, name}));
  EXPECT_EQ(trace.tensor({2, trace::Phase::grad, name}).shape, (Shape{32, 32}));
  const Json beat = Json::parse(read_file(folder / "beat"));
  EXPECT_EQ(beat.at("step"), 2);
  EXPECT_EQ(beat.at("phase"), "done");
}

TEST_F(ParityTrainTest, ResumedRun_LeavesTheTraceOfAStraightRun) {
  const auto config = write_config(small());
  const std::string place = config.string() + " --quiet --checkpoint-dir " + folder.string() + " --trace ";
  const std::string straight = (folder / "straight.h5").string(), parts = (folder / "parts.h5").string();
  ASSERT_EQ(train(place + straight).status, 0);
  ASSERT_EQ(train(place + parts + " --stop-after 5").status, 0);
  EXPECT_EQ(trace::Trace::open(parts).last_step(), 5);
  const CommandResult resumed = train(place + parts + " --resume");
  ASSERT_EQ(resumed.status, 0) << resumed.output;
  const trace::Trace a = trace::Trace::open(straight), b = trace::Trace::open(parts);
  EXPECT_EQ(a.steps(), b.steps());
  for (const char* name : {"loss", "grad_norm", "lr", "update_norm", "batch_digest"})
    EXPECT_EQ(channel_of(a, name), channel_of(b, name)) << name;
}

TEST_F(ParityTrainTest, StartFromCheckpoint_RecordsUpdatesAfterIt) {
  const auto config = write_config(small());
  const std::string place = config.string() + " --quiet --checkpoint-dir " + folder.string() + " --trace ";
  const std::string straight = (folder / "straight.h5").string(), rest = (folder / "rest.h5").string();
  ASSERT_EQ(train(place + straight + " --checkpoint-every 2").status, 0);
  const CommandResult started =
      train(place + rest + " --start-from " + (folder / "step4").string() + " --stop-after 6");
  ASSERT_EQ(started.status, 0) << started.output;
  const trace::Trace a = trace::Trace::open(straight), b = trace::Trace::open(rest);
  EXPECT_EQ(b.steps(), (std::vector<int64_t>{5, 6}));
  for (const char* name : {"loss", "grad_norm", "lr", "update_norm", "batch_digest"})
    for (size_t i = 0; i < 2; ++i)
      EXPECT_EQ(channel_of(a, name).at(i + 4), channel_of(b, name).at(i)) << name;
  EXPECT_EQ(train(place + rest + " --start-from " + (folder / "step5").string()).status, 3);
}

TEST_F(ParityTrainTest, NonFiniteRun_ExitsFourWithReason) {
  Json changes = small();
  changes["lr.base"] = 1e30;
  const CommandResult result = train(write_config(changes).string() + " --trace " + trace_path().string());
  EXPECT_EQ(result.status, 4);
  EXPECT_THAT(last_line(result.output),
              testing::StartsWith(
                  "parity-train: update 2: grad_norm is nan (the first tensor that is not finite is"));
  const trace::Trace trace = trace::Trace::open(folder);
  EXPECT_FALSE(trace.complete());
  EXPECT_EQ(trace.last_step(), 1);
  ASSERT_TRUE(trace.failure().has_value());
  EXPECT_EQ((*trace.failure())["kind"], "non_finite");
  EXPECT_EQ((*trace.failure())["step"], 2);
  EXPECT_NE((*trace.failure())["tensor"], "");
}

TEST_F(ParityTrainTest, BadInputAndMissingFilesHaveTheirOwnStatus) {
  const CommandResult missing = train((folder / "none.toml").string());
  EXPECT_EQ(missing.status, 3);
  EXPECT_THAT(last_line(missing.output), HasSubstr("none.toml"));
  write_file(folder / "bad.toml", "steps = 2\nlr.bas = 1\n");
  const CommandResult bad = train((folder / "bad.toml").string());
  EXPECT_EQ(bad.status, 2);
  EXPECT_THAT(last_line(bad.output), HasSubstr("bad.toml:2: unknown key 'lr.bas' (did you mean 'lr.base'?)"));
  EXPECT_EQ(train("--set steps=2 --resume --checkpoint-dir " + folder.string()).status, 3);
  EXPECT_EQ(train("--set data.source=text --set data.path=/no/such/file").status, 3);
}

TEST_F(ParityTrainTest, WarnsOfAScheduleThatWasCut) {
  Json changes = small();
  changes["lr.warmup_steps"] = 50;
  changes["steps"] = 1;
  const CommandResult result = train(write_config(changes).string());
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.output, HasSubstr("[W] lr.warmup_steps = 50 exceeds the 1 steps"));
}

TEST_F(ParityTrainTest, EstimatesARealModelWithoutItsMemoryOrItsRanks) {
  const CommandResult result = train(
      "--set model=llama3.70b --set data.global_batch=64 --set parallel.dp_shard=64 --set parallel.tp=8 "
      "--estimate");
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("llama3.70b: 70,553,706,496 parameters in float32, 512 ranks"));
  EXPECT_THAT(result.output, HasSubstr(" and activations"));
}

TEST_F(ParityTrainTest, PrintsTheSchemaThatLiesBesideIt) {
  const CommandResult result = train("--schema");
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.output, read_file(places::build + "/bin/parity-train.schema.json"));
}

}  // namespace
}  // namespace parity::reference
