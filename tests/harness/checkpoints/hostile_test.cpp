// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// What damaged, empty and hostile checkpoints get: a sentence with file and cause.
#include <cstring>

#include "tests/harness/checkpoints/checkpoint_fixture.hpp"

namespace parity::checkpoints {
namespace {

using testing::AllOf;
using testing::HasSubstr;
namespace fs = std::filesystem;

class HostileCheckpoint : public CheckpointTest {
 protected:
  std::string problem_of_file(const std::string& name, const std::string& bytes) const {
    write_file(folder / name, bytes);
    EXPECT_TRUE(is_checkpoint((folder / name).string())) << name;
    return message_of([&] { open_checkpoint((folder / name).string()); });
  }
  static std::string with_header(const std::string& header, const std::string& data = "") {
    std::string bytes(8, '\0');
    const uint64_t length = header.size();
    std::memcpy(bytes.data(), &length, 8);
    return bytes + header + data;
  }
};

TEST_F(HostileCheckpoint, BadFiles_AreRefused) {
  EXPECT_THAT(problem_of_file("cut.safetensors", "abc"),
              AllOf(HasSubstr("cut.safetensors"), HasSubstr("3 bytes")));
  EXPECT_THAT(problem_of_file("big.safetensors", std::string(16, '\xff')),
              HasSubstr("more than the 100000000"));
  EXPECT_THAT(problem_of_file("over.safetensors",
                              with_header(R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},)"
                                          R"("b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}})",
                                          "abc")),
              HasSubstr("where another tensor's bytes are"));
  EXPECT_THAT(
      problem_of_file(
          "claim.safetensors",
          with_header(R"({"a":{"dtype":"F32","shape":[1000000000000],"data_offsets":[0,8]}})", "abcdefgh")),
      HasSubstr("'a' has bytes 0 to 8, but shape (1000000000000) of F32 takes 4000000000000"));
  EXPECT_THAT(problem_of_file("deep.safetensors", with_header("{" + std::string(100'000, '['))),
              HasSubstr("deep.safetensors"));
}

TEST_F(HostileCheckpoint, Recognition_LooksAtTheContent) {
  const std::string path = write("weights.safetensors", llama());
  fs::rename(path, folder / "weights.bin");
  EXPECT_TRUE(is_checkpoint((folder / "weights.bin").string()));
  EXPECT_EQ(open_checkpoint((folder / "weights.bin").string()).tensors.size(), 21U);
  write_file(folder / "log.jsonl", "{\"step\": 1}\n");
  EXPECT_FALSE(is_checkpoint((folder / "log.jsonl").string()));
  EXPECT_FALSE(is_checkpoint(folder.string() + "/absent.h5"));
  EXPECT_TRUE(is_checkpoint(folder.string() + "/absent.safetensors"));
  EXPECT_THAT(message_of([&] { open_checkpoint(folder.string() + "/absent.safetensors"); }),
              HasSubstr("does not exist"));
}

TEST_F(HostileCheckpoint, Folders_NeedOneCheckpoint) {
  fs::create_directories(folder / "two");
  fs::rename(write("a.safetensors", llama()), folder / "two/a.safetensors");
  EXPECT_EQ(open_checkpoint((folder / "two").string()).tensors.size(), 21U);
  fs::rename(write("b.safetensors", llama()), folder / "two/b.safetensors");
  EXPECT_THAT(message_of([&] { open_checkpoint((folder / "two").string()); }),
              HasSubstr("2 files end in .safetensors and no index"));
  write_file(folder / "two/diffusion.safetensors.index.json", R"({"weight_map": {"x": "../../etc/passwd"}})");
  EXPECT_THAT(message_of([&] { open_checkpoint((folder / "two").string()); }),
              HasSubstr("not the name of a file next to it"));
  write_file(folder / "two/trace.h5", "");
  EXPECT_FALSE(is_checkpoint((folder / "two").string()));
  fs::create_directories(folder / "none");
  EXPECT_FALSE(is_checkpoint((folder / "none").string()));
}

TEST_F(HostileCheckpoint, Names_AreEscaped) {
  const std::string name = "\x1b[2Jlayers.0.weight";
  const CheckpointDifference found = compare({{name, drawn({4}, 1)}}, {{"other", drawn({5}, 1)}});
  EXPECT_EQ(found.exit_code(), ExitCode::differ);
  EXPECT_EQ(found.conclusion().find('\x1b'), std::string::npos);
}

TEST_F(HostileCheckpoint, BitsOnly_HaveNoUlp) {
  const std::string header = R"({"a":{"dtype":"U32","shape":[2],"data_offsets":[0,8]}})";
  write_file(folder / "a.safetensors", with_header(header, std::string("\0\0\0\x80\x01\0\0\0", 8)));
  write_file(folder / "b.safetensors", with_header(header, std::string("\0\0\0\x80\x02\0\0\0", 8)));
  const Checkpoint a = open_checkpoint((folder / "a.safetensors").string());
  const Checkpoint b = open_checkpoint((folder / "b.safetensors").string());
  EXPECT_EQ(compare_checkpoints(a, a, {}).exit_code(), ExitCode::agree);
  const CheckpointDifference found = compare_checkpoints(a, b, {});
  EXPECT_EQ(found.exit_code(), ExitCode::differ);
  EXPECT_FALSE(found.to_json().at("tensors").at(0).contains("max_ulp"));
  EXPECT_EQ(found.to_json().at("tensors").at(0).at("differing"), 1);
}

}  // namespace
}  // namespace parity::checkpoints
