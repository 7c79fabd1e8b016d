// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "tests/reference/dcp/trained.hpp"
#include "tests/support/places.hpp"

namespace parity::reference {
namespace {

namespace fs = std::filesystem;
using testing::Each;
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
  /// Writes a folder by PyTorch, after a change of the dictionary `state`.
  std::string refusal_of_state(const std::string& change) {
    const fs::path from = folder / "changed";
    fs::remove_all(from);
    const CommandResult python =
        run_python(folder,
                   "import sys, torch, torch.distributed.checkpoint as dcp\n"
                   "state = torch.load(sys.argv[1], weights_only=False)\n" +
                       change + "\ndcp.save(dict(state), checkpoint_id=sys.argv[2], no_dist=True)\n",
                   (folder / "whole.pt").string() + " " + from.string());
    EXPECT_EQ(python.status, 0) << python.output;
    return refusal(from);
  }
};

TEST_F(DcpRefusalsTest, UndamagedFolder_IsAccepted) {
  EXPECT_EQ(refusal(saved), "");
  if (!places::has_pytorch)
    return;
  EXPECT_EQ(refusal_of_state(""), "");
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
  EXPECT_THAT(refusal_of_state("del state['optimizer/exp_avg/norm.weight']"),
              HasSubstr("has no optimizer/exp_avg/norm.weight"));
  EXPECT_THAT(refusal_of_state("del state['generator']"), HasSubstr("has no generator"));
  EXPECT_THAT(refusal_of_state("state['parameter/layers.7.attention.wq.weight'] = torch.ones(16, 16)"),
              HasSubstr("it has parameter/layers.7.attention.wq.weight, which this config does not use"));
  EXPECT_THAT(refusal_of_state("state['epoch'] = 3"), HasSubstr("it has epoch"));
  EXPECT_THAT(refusal_of_state(norm + "torch.ones(16, dtype=torch.float64)"),
              HasSubstr("another shape or dtype"));
  EXPECT_THAT(refusal_of_state(norm + "torch.ones(17)"), HasSubstr("another shape or dtype"));
  EXPECT_THAT(refusal_of_state(norm + "torch.ones(4, 4)"), HasSubstr("another shape or dtype"));
  EXPECT_THAT(refusal_of_state(norm + "3.5"), HasSubstr("has no parameter/norm.weight"));
  EXPECT_THAT(refusal_of_state(norm + "torch.ones(16, dtype=torch.complex64)"), HasSubstr("complex64"));
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
