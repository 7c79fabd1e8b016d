// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "harness/base/json/json.hpp"
#include "tests/reference/dcp/trained.hpp"
#include "tests/support/places.hpp"

namespace parity::reference {
namespace {

namespace fs = std::filesystem;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

/// Damaged folders. Both ranks refuse with the same sentence, so that none waits for the other.
class DcpRefusalsTest : public RanksTest {
 protected:
  const fs::path saved = folder / "checkpoint.dcp";

  void SetUp() override {
    RanksTest::SetUp();
    ASSERT_THAT(run_ranks(2,
                          [&](Group& world) {
                            Trainer trainer(sharded(1, 2), held(world));
                            trainer.step();
                            trainer.save(saved, CheckpointFormat::dcp);
                            trainer.save(folder / "whole.pt");
                          }),
                Each(""));
  }

  /// Returns why both ranks refuse the folder.
  std::string refusal(const fs::path& from) {
    const std::vector<std::string> complaints =
        run_ranks(2, [&](Group& world) { resumed(sharded(1, 2), held(world), from); });
    EXPECT_EQ(complaints.at(0), complaints.at(1));
    return complaints.at(0);
  }
  /// Writes a folder by PyTorch after each change of the dictionary `state`. Returns why the ranks refuse it.
  std::vector<std::string> refusals_of_states(const std::vector<std::string>& changes) {
    write_file(folder / "changes.json", Json(changes).dump());
    const CommandResult python = run_python(folder, R"(
import json, pathlib, sys, torch, torch.distributed.checkpoint as dcp
folder = pathlib.Path(sys.argv[1])
for number, change in enumerate(json.loads((folder / "changes.json").read_text())):
    state = torch.load(folder / "whole.pt", weights_only=False)
    exec(change)
    dcp.save(dict(state), checkpoint_id=folder / f"changed_{number}", no_dist=True)
)",
                                            folder.string());
    EXPECT_EQ(python.status, 0) << python.output;
    std::vector<std::string> refusals;
    for (size_t i = 0; i < changes.size(); ++i)
      refusals.push_back(refusal(folder / fmt::format("changed_{}", i)));
    return refusals;
  }
};

TEST_F(DcpRefusalsTest, UndamagedFolder_IsAccepted) {
  EXPECT_EQ(refusal(saved), "");
  if (!places::has_pytorch)
    return;
  EXPECT_THAT(refusals_of_states({""}), ElementsAre(""));
}

TEST_F(DcpRefusalsTest, MissingShard) {
  fs::remove(saved / "__1_0.distcp");
  EXPECT_THAT(refusal(saved), HasSubstr("its file '__1_0.distcp' is missing"));
}

TEST_F(DcpRefusalsTest, TruncatedShard) {
  const std::string bytes = read_file(saved / "__1_0.distcp");
  write_file(saved / "__1_0.distcp", bytes.substr(0, bytes.size() - 1));
  EXPECT_THAT(refusal(saved), HasSubstr("it is cut short"));
  write_file(saved / "__1_0.distcp", "");
  EXPECT_THAT(refusal(saved), HasSubstr("it is cut short: 0 bytes"));
}

TEST_F(DcpRefusalsTest, FlippedBit) {
  const std::string bytes = read_file(saved / "__1_0.distcp");
  const auto with_flip = [&](size_t at) {
    std::string damaged = bytes;
    damaged.at(at) = static_cast<char>(damaged.at(at) ^ 1);
    write_file(saved / "__1_0.distcp", damaged);
    return refusal(saved);
  };
  const size_t record = bytes.find("archive/data/0");  // values follow from the next multiple of 64 bytes on
  ASSERT_LT(record, 64U);
  EXPECT_THAT(with_flip(64), HasSubstr("they are damaged: record 'archive/data/0' has another checksum"));
  EXPECT_THAT(with_flip(100), HasSubstr("has another checksum"));
  EXPECT_THAT(with_flip(bytes.find("PK\x01\x02")), HasSubstr("damaged"));
}

TEST_F(DcpRefusalsTest, MissingMetadata) {
  fs::remove(saved / ".metadata");
  EXPECT_THAT(refusal(saved), HasSubstr("it has no .metadata, which a save writes last"));
  fs::remove_all(saved);
  EXPECT_THAT(refusal(saved), HasSubstr("it does not exist"));
}

TEST_F(DcpRefusalsTest, DamagedMetadata) {
  const std::string bytes = read_file(saved / ".metadata");
  write_file(saved / ".metadata", bytes.substr(0, bytes.size() / 2));
  EXPECT_THAT(refusal(saved), HasSubstr("the pickle is cut short"));
  write_file(saved / ".metadata", "");
  EXPECT_THAT(refusal(saved), HasSubstr("the pickle is cut short"));
}

TEST_F(DcpRefusalsTest, ShardOfAnotherTensor) {
  fs::copy_file(saved / "__0_0.distcp", saved / "__1_0.distcp", fs::copy_options::overwrite_existing);
  EXPECT_NE(refusal(saved), "");
}

TEST_F(DcpRefusalsTest, OtherTensors) {
  if (!places::has_pytorch)
    GTEST_SKIP() << "needs PyTorch in Python";
  const std::string norm = "state['parameter/norm.weight'] = ";
  EXPECT_THAT(
      refusals_of_states({"del state['optimizer/exp_avg/norm.weight']", "del state['generator']",
                          "state['parameter/layers.7.attention.wq.weight'] = torch.ones(16, 16)",
                          "state['epoch'] = 3", norm + "torch.ones(16, dtype=torch.float64)",
                          norm + "torch.ones(17)", norm + "torch.ones(4, 4)", norm + "3.5",
                          norm + "torch.ones(16, dtype=torch.complex64)"}),
      ElementsAre(HasSubstr("has no optimizer/exp_avg/norm.weight"), HasSubstr("has no generator"),
                  HasSubstr("it has parameter/layers.7.attention.wq.weight, which this config does not use"),
                  HasSubstr("it has epoch"), HasSubstr("another shape or dtype"),
                  HasSubstr("another shape or dtype"), HasSubstr("another shape or dtype"),
                  HasSubstr("has no parameter/norm.weight"), HasSubstr("complex64")));
}

TEST_F(DcpRefusalsTest, UnsharedFolders) {
  const fs::path other = folder / "other";
  fs::copy(saved, other, fs::copy_options::recursive);
  const auto own = [&](const Group& world) { return world.rank() == 0 ? saved : other; };
  const auto load = [&](Group& world) { resumed(sharded(1, 2), held(world), own(world)); };
  EXPECT_THAT(run_ranks(2, load), Each(""));
  ASSERT_THAT(run_ranks(2,
                        [&](Group& world) {
                          Trainer trainer(sharded(1, 2), held(world));
                          trainer.save(other, CheckpointFormat::dcp);  // same shapes, other values
                        }),
              Each(""));
  EXPECT_THAT(run_ranks(2, load), Each(HasSubstr("rank 1: cannot read")));
  EXPECT_THAT(run_ranks(2,
                        [&](Group& world) {
                          Trainer trainer(sharded(1, 2), held(world));
                          trainer.save(folder / std::to_string(world.rank()) / "x", CheckpointFormat::dcp);
                        }),
              Each(HasSubstr("rank 0 does not see the file __1_0.distcp of rank 1")));
}

TEST_F(DcpRefusalsTest, AFolderOfOthers_IsNotReplaced) {
  const fs::path notes = folder / "notes";
  fs::create_directory(notes);
  write_file(notes / "thesis.txt", "text");
  EXPECT_THAT(
      run_ranks(
          1, [&](Group& world) { Trainer(sharded(1, 1), held(world)).save(notes, CheckpointFormat::dcp); }),
      Each(HasSubstr("it is no DCP checkpoint")));
  EXPECT_EQ(read_file(notes / "thesis.txt"), "text");
}

}  // namespace
}  // namespace parity::reference
