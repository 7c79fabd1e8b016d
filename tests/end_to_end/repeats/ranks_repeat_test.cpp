// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Bits that flip in one rank's memory, in its send buffer and in its receive buffer: `parity repeat` finds
// each, and says whether the rank computed otherwise or bytes changed on the way.
#include <gmock/gmock.h>

#include "harness/base/files/file.hpp"
#include "harness/base/json/json.hpp"
#include "harness/base/processes/process.hpp"
#include "tests/support/places.hpp"
#include "tests/support/scratch.hpp"

namespace parity {
namespace {

using testing::HasSubstr;

struct Flip {
  std::string name;
  std::string fault;  ///< members of the fault besides kind and rank
  std::vector<std::string> words;
};

class FlippedBitTest : public FolderTest, public testing::WithParamInterface<Flip> {
 protected:
  /// Returns a finding of `parity repeat` with a fault in the first repetition.
  Json finding(const std::string& fault) const {
    write_file(folder / "run.toml",
               "model = \"llama3.debug\"\nsteps = 4\nparallel.dp_replicate = 2\n[architecture]\ndim = "
               "32\nn_layers = "
               "1\nn_heads = 2\nn_kv_heads = 2\nvocab_size = 256\nffn_hidden = 64\n[data]\nseq_len = 32\n"
               "global_batch = 4\n");
    ProcessSpec spec;
    spec.argv = {places::build + "/bin/parity",
                 "repeat",
                 (folder / "run.toml").string(),
                 "--times",
                 "2",
                 "--every",
                 "2",
                 "--json",
                 "--out",
                 (folder / "out").string(),
                 "--plant",
                 "{\"kind\": \"bit_flip\", \"bit\": 20, \"rank\": 1, \"steps\": [2], " + fault + "}"};
    spec.stdout_file = folder / "stdout";
    spec.stderr_file = folder / "stderr";
    Process process = Process::spawn(spec);
    const auto status = process.wait_for(std::chrono::minutes(4));
    EXPECT_TRUE(status && status->exit_status() == 1)
        << read_file(folder / "stderr") << read_file(folder / "stdout");
    const Json record = read_json(read_file(folder / "stdout"));
    return record.at("findings").at(0);
  }
};

TEST_P(FlippedBitTest, Flip_IsFoundOnItsRank) {
  const Json found = finding(GetParam().fault);
  const auto sentence = found.at("sentence").get<std::string>();
  EXPECT_EQ(found.at("recurrence"), "transient") << found;
  EXPECT_EQ(found.at("step"), 2) << found;
  for (const std::string& words : GetParam().words)
    EXPECT_THAT(sentence, HasSubstr(words));
}

INSTANTIATE_TEST_SUITE_P(
    Places, FlippedBitTest,
    testing::Values(Flip{"memory",
                         R"("phase": "grad_local", "name": "layers.0.attention.wq.weight", "element": 5)",
                         {"grad_local layers.0.attention.wq.weight at step 2", "element 5, bit 20",
                          "compute, not wire: rank 1"}},
                    Flip{"send_buffer",
                         R"("phase": "grad", "name": "comm@3:*:wire.sent#1", "element": 5)",
                         {"wire, not compute", "ranks 0 and 1 received others", "send buffer"}},
                    Flip{"receive_buffer",
                         R"("phase": "grad", "name": "comm@3:*:wire.received#1", "element": 5)",
                         {"wire, not compute", "rank 1 received others"}}),
    [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace parity
