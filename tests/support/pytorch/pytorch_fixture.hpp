// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "tests/support/places.hpp"
#include "tests/support/pytorch/pytorch.hpp"
#include "tests/support/pytorch/pytorch_server.hpp"
#include "tests/support/train_fixture.hpp"

namespace parity {

/// A config and the precision to run it in.
struct Setting {
  std::string name;
  std::string dtype;
  Json changes;
};

inline Json with(Json changes, const Json& more) {
  changes.update(more);
  return changes;
}

/// Three layers, grouped heads, two micro-batches with unequal numbers of valid tokens.
inline const Json grouped = {
    {"architecture.dim", 64},       {"architecture.n_layers", 3},     {"architecture.n_heads", 8},
    {"architecture.n_kv_heads", 2}, {"architecture.vocab_size", 500}, {"architecture.ffn_hidden", 96},
    {"data.seq_len", 64},           {"data.micro_batches", 2},        {"data.ignore_fraction", 0.25}};

/// The same for a mixture of eight experts, two layers.
inline const Json experts = {{"model", "qwen3.debug_moe_8"}, {"architecture.dim", 64},
                             {"architecture.n_layers", 2},   {"architecture.n_heads", 4},
                             {"architecture.n_kv_heads", 2}, {"architecture.vocab_size", 500},
                             {"architecture.head_dim", 32},  {"moe.hidden", 48},
                             {"data.seq_len", 64},           {"data.micro_batches", 2},
                             {"data.ignore_fraction", 0.25}};

inline std::string name_of_setting(const testing::TestParamInfo<Setting>& info) {
  return info.param.name;
}

/// Ten updates by parity-train and by ordinary PyTorch (pytorch_llama.py) on the same replay data.
class PyTorchProgramTest : public TrainProgramTest, public testing::WithParamInterface<Setting> {
 protected:
  void SetUp() override {
    TrainProgramTest::SetUp();
    if (!places::has_pytorch)
      GTEST_SKIP() << needs_pytorch;
  }

  /// Leaves the trace of parity-train in ours() and that of PyTorch in theirs().
  void train_both() {
    const auto config = write_config(GetParam().changes);
    write_file(folder / "capture.json", R"({"tensors": [], "sketches": [], "replay": true})");
    const std::string replay = (folder / "replay.h5").string();
    const CommandResult ours = train(config.string() + " --capture " + (folder / "capture.json").string() +
                                     " --dtype " + GetParam().dtype + " --trace " + replay);
    ASSERT_EQ(ours.status, 0) << ours.output;
    const CommandResult theirs =
        run_pytorch({{{places::source + "/tests/support/pytorch/pytorch_llama.py", replay},
                      {{"PARITY_CONFIG", config.string()},
                       {"PARITY_DTYPE", GetParam().dtype},
                       {"PARITY_TRACE", trace_path().string()}}}},
                    folder);
    ASSERT_EQ(theirs.status, 0) << theirs.output;
    theirs_ = std::make_unique<trace::Trace>(trace::Trace::open(trace_path()));
    ours_ = std::make_unique<trace::Trace>(trace::Trace::open(replay));
  }

  /// Both programs agree in every bit of loss, gradient norm and learning rate; no tolerance.
  void expect_same_bits() {
    ASSERT_NO_FATAL_FAILURE(train_both());
    for (const char* channel : {"loss", "grad_norm", "lr"}) {
      EXPECT_EQ(channel_of(ours(), channel).size(), 10U);
      EXPECT_EQ(channel_of(ours(), channel), channel_of(theirs(), channel)) << channel;
    }
  }

  const trace::Trace& ours() const { return *ours_; }
  const trace::Trace& theirs() const { return *theirs_; }

 private:
  std::unique_ptr<trace::Trace> ours_, theirs_;
};

/// Four updates by ranks of parity-train and by ranks of a PyTorch program, on the data of one process.
class PyTorchRanksTest : public TrainProgramTest {
 protected:
  static constexpr size_t updates = 4;

  void SetUp() override {
    TrainProgramTest::SetUp();
    if (!places::has_pytorch)
      GTEST_SKIP() << needs_pytorch;
  }

  /// Both agree in every bit of loss, gradient norm and learning rate; no tolerance.
  /// \param script  in tests/support. \param changes  of one process. \param layout  of the ranks
  void expect_same_bits(const std::string& script, int64_t ranks, const std::string& dtype,
                        const Json& changes, const Json& layout) {
    const Json whole = with(changes, {{"steps", updates}});
    const std::string one = write_config(whole, "one.json");
    const std::string several = write_config(with(whole, layout), "several.json");
    write_file(folder / "capture.json", R"({"tensors": [], "sketches": [], "replay": true})");
    const std::string at = folder.string() + "/";
    const CommandResult replay =
        train(one + " --capture " + at + "capture.json --dtype " + dtype + " --trace " + at + "replay.h5");
    ASSERT_EQ(replay.status, 0) << replay.output;
    const CommandResult ours =
        run_ranks(ranks, program() + several + " --dtype " + dtype + " --trace " + at + "ours.h5");
    ASSERT_EQ(ours.status, 0) << ours.output;
    std::vector<PyTorchProgram> programs;
    for (int64_t rank = 0; rank < ranks; ++rank)
      programs.push_back({{places::source + "/tests/support/pytorch/" + script, at + "replay.h5"},
                          {{"RANK", std::to_string(rank)},
                           {"WORLD_SIZE", std::to_string(ranks)},
                           {"PARITY_RENDEZVOUS", at + "store.theirs"},
                           {"GLOO_SOCKET_IFNAME", "lo"},
                           {"PARITY_CONFIG", several},
                           {"PARITY_DTYPE", dtype},
                           {"PARITY_TRACE", at + "theirs.h5"}}});
    const CommandResult theirs = run_pytorch(programs, folder);
    ASSERT_EQ(theirs.status, 0) << theirs.output;
    for (const char* channel : {"loss", "grad_norm", "lr"}) {
      EXPECT_EQ(channel_of(trace_of("ours.h5"), channel).size(), updates);
      EXPECT_EQ(channel_of(trace_of("ours.h5"), channel), channel_of(trace_of("theirs.h5"), channel))
          << channel;
    }
  }

  trace::Trace trace_of(const std::string& name) const { return trace::Trace::open(folder / name); }

 private:
  /// Runs a command as the given number of ranks; they end with the slowest, at the latest after two minutes.
  CommandResult run_ranks(int64_t ranks, const std::string& command) {
    const std::string store = (folder / ("store" + std::to_string(++runs_))).string();
    std::string script = "set -m; pids=; ";
    for (int64_t rank = 0; rank < ranks; ++rank)
      script += "RANK=" + std::to_string(rank) + " WORLD_SIZE=" + std::to_string(ranks) +
                " PARITY_RENDEZVOUS=" + store + " " + portable_environment() + " timeout 120 " + command +
                " & pids=\"$pids $!\"; ";
    return run_shell("(" + script + "for p in $pids; do wait $p || exit 1; done)");
  }

  int runs_ = 0;
};

}  // namespace parity
