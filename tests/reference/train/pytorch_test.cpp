// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/train_fixture.hpp"

namespace parity {
namespace {

struct Setting {
  std::string name;
  std::string dtype;
  Json changes;
};

/// Ten updates by parity-train and by ordinary PyTorch on the same replay data; no tolerance.
class PyTorchTest : public TrainProgramTest, public testing::WithParamInterface<Setting> {};

TEST_P(PyTorchTest, GivesTheSameLossAndGradientNormBitForBit) {
  Json changes = GetParam().changes;
  const auto config = write_config(changes);
  write_file(folder / "capture.json", R"({"tensors": [], "sketches": [], "replay": true})");
  const std::string replay = (folder / "replay.h5").string();
  const CommandResult ours = train(config.string() + " --capture " + (folder / "capture.json").string() +
                                   " --dtype " + GetParam().dtype + " --trace " + replay);
  ASSERT_EQ(ours.status, 0) << ours.output;
  const CommandResult theirs =
      run_shell(std::string(portable) + "PARITY_CONFIG=" + config.string() +
                " PARITY_DTYPE=" + GetParam().dtype + " PARITY_TRACE=" + trace_path().string() +
                " " PARITY_PYTHON " " PARITY_SOURCE_DIR "/tests/support/pytorch_llama.py " + replay);
  ASSERT_EQ(theirs.status, 0) << theirs.output;
  const Trace expected = Trace::open(trace_path()), actual = Trace::open(replay);
  for (const char* channel : {"loss", "grad_norm", "lr"}) {
    EXPECT_EQ(channel_of(actual, channel).size(), 10U);
    EXPECT_EQ(channel_of(actual, channel), channel_of(expected, channel)) << channel;
  }
}

Json with(Json changes, const Json& more) {
  changes.update(more);
  return changes;
}

const Json grouped = {
    {"architecture.dim", 64},       {"architecture.n_layers", 3},     {"architecture.n_heads", 8},
    {"architecture.n_kv_heads", 2}, {"architecture.vocab_size", 500}, {"architecture.ffn_hidden", 96},
    {"data.seq_len", 64},           {"data.micro_batches", 2},        {"data.ignore_fraction", 0.25}};
const Json sgd = {{"optimizer.name", "sgd"}, {"optimizer.momentum", 0.9}, {"lr.base", 0.1}};

INSTANTIATE_TEST_SUITE_P(
    Settings, PyTorchTest,
    testing::Values(Setting{"DebugModel", "float32", {{"data.seq_len", 128}}},
                    Setting{"GroupedHeadsTwoMicroBatches", "float32", grouped},
                    Setting{"Float64", "float64",
                            with(grouped, {{"architecture.rope_scaling", "none"},
                                           {"lr.decay_ratio", 0.5},
                                           {"lr.decay", "cosine"},
                                           {"lr.min_factor", 0.1}})},
                    Setting{"FusedSgd", "float32",
                            with(with(grouped, sgd), {{"lr.schedule", "hugging_face_linear"}})},
                    Setting{"PlainSgdWithoutClipping", "float32",
                            with(with(grouped, sgd), {{"optimizer.implementation", "plain"},
                                                      {"clip.max_norm", 0.0},
                                                      {"lr.schedule", "warmup_linear"},
                                                      {"lr.first_index", 0}})}),
    [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace parity
