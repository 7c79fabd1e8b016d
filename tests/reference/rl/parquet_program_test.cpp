// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "tests/support/train_fixture.hpp"

namespace parity::reference {
namespace {

/// parity-train with the rollouts of cases/rl/imported.toml, and the same ones as Parquet.
class ParquetProgramTest : public TrainProgramTest {
 protected:
  std::map<std::string, std::vector<double>> channels(const std::string& file) const {
    Json config = small();
    config.update({{"steps", 3},
                   {"architecture.vocab_size", 12},
                   {"architecture.max_seq_len", 32},
                   {"data.source", "rollouts"},
                   {"data.path", file},
                   {"data.seq_len", 8},
                   {"data.global_batch", 16},
                   {"rl.max_lag", 2}});
    const CommandResult result =
        train(write_config(config).string() + " --quiet --trace " + trace_path().string());
    EXPECT_EQ(result.status, 0) << result.output;
    const trace::Trace trace = trace::Trace::open(trace_path());
    std::map<std::string, std::vector<double>> found;
    for (const char* name : {"loss", "grad_norm", "rollout_digest", "reward_mean", "logprob_diff_mean"})
      found[name] = channel_of(trace, name);
    return found;
  }
};

TEST_F(ParquetProgramTest, RolloutsOfParquet_TrainTheSameBits) {
  const std::string lines = places::source + "/cases/rl/rollouts.jsonl";
  const std::string parquet = (folder / "rollouts.parquet").string();
  const CommandResult written = run_python(folder,
                                           "import json, sys\nimport pyarrow as pa\n"
                                           "from pyarrow import parquet\n"
                                           "rows = [json.loads(line) for line in open(sys.argv[1])]\n"
                                           "parquet.write_table(pa.Table.from_pylist(rows), sys.argv[2])\n",
                                           lines + " " + parquet);
  ASSERT_EQ(written.status, 0) << written.output;
  const auto expected = channels(lines);
  EXPECT_EQ(expected.at("loss").size(), 3U);
  EXPECT_EQ(channels(parquet), expected);
}

}  // namespace
}  // namespace parity::reference
