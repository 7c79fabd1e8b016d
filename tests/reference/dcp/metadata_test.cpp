// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/dcp/metadata.hpp"

#include <gmock/gmock.h>

#include "reference/dcp/metadata_pickle.hpp"
#include "reference/dcp/pickle/value.hpp"
#include "tests/support/places.hpp"
#include "tests/support/scratch.hpp"

namespace parity::reference {
namespace {

using testing::HasSubstr;

/// A matrix of 3 x 4 in two files, and a scalar.
DcpMetadata small() {
  DcpMetadata metadata;
  metadata.tensors["w"] = {
      "float32",
      {3, 4},
      {{{0, 0}, {2, 4}, "__0_0.distcp", 10, 100}, {{2, 0}, {1, 4}, "__1_0.distcp", 0, 80}}};
  metadata.tensors["n"] = {"int64", {}, {{{}, {}, "__0_0.distcp", 110, 50}}};
  metadata.save_id = "id";
  return metadata;
}

std::string complaint(const DcpMetadata& metadata) {
  try {
    read_dcp_metadata(write_dcp_metadata(metadata));
  } catch (const FormatError& error) {
    return error.what();
  }
  return "";
}

TEST(DcpMetadataTest, Written_ReadBackTheSame) {
  const DcpMetadata metadata = small();
  const std::string bytes = write_dcp_metadata(metadata);
  const DcpMetadata read = read_dcp_metadata(bytes);
  EXPECT_EQ(read.save_id, "id");
  ASSERT_EQ(read.tensors.size(), 2U);
  const DcpTensor& w = read.tensors.at("w");
  EXPECT_EQ(w.dtype, "float32");
  EXPECT_EQ(w.shape, (std::vector<int64_t>{3, 4}));
  ASSERT_EQ(w.chunks.size(), 2U);
  EXPECT_EQ(w.chunks[1].offsets, (std::vector<int64_t>{2, 0}));
  EXPECT_EQ(w.chunks[1].file, "__1_0.distcp");
  EXPECT_EQ(w.chunks[0].position, 10);
  EXPECT_EQ(w.chunks[0].length, 100);
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THROW(read_dcp_metadata(bytes.substr(0, size)), FormatError) << size;
}

TEST(DcpMetadataTest, BadChunks_AreRefused) {
  const auto changed = [](const std::function<void(DcpTensor&)>& change) {
    DcpMetadata metadata = small();
    change(metadata.tensors["w"]);
    return complaint(metadata);
  };
  EXPECT_EQ(changed([](DcpTensor&) {}), "");
  EXPECT_THAT(changed([](DcpTensor& w) { w.chunks.pop_back(); }),
              HasSubstr("4 of 12 elements of 'w' are in no"));
  EXPECT_THAT(changed([](DcpTensor& w) { w.chunks[1].offsets = {1, 0}; }),
              HasSubstr("chunks of 'w' overlap"));
  EXPECT_THAT(changed([](DcpTensor& w) { w.chunks[1].offsets = {3, 0}; }), HasSubstr("leaves the tensor"));
  EXPECT_THAT(changed([](DcpTensor& w) { w.chunks[1].offsets = {2}; }), HasSubstr("leaves the tensor"));
  EXPECT_THAT(changed([](DcpTensor& w) { w.chunks[1].offsets = {0, 0}; }), HasSubstr("two places"));
  EXPECT_THAT(changed([](DcpTensor& w) { w.chunks[1].file = "../x"; }), HasSubstr("not the name of a file"));
  EXPECT_THAT(changed([](DcpTensor& w) { w.chunks[1].position = -1; }), HasSubstr("is not a count"));
  EXPECT_THAT(changed([](DcpTensor& w) { w.shape = {int64_t{1} << 40, int64_t{1} << 40}; }),
              HasSubstr("more than 2^63"));
}

class DcpMetadataOfPythonTest : public FolderTest {};

TEST_F(DcpMetadataOfPythonTest, PytorchUnpicklesTheSameFields) {
  if (!places::has_pytorch)
    GTEST_SKIP() << "needs PyTorch in Python";
  write_file(folder / "ours", write_dcp_metadata(small()));
  const CommandResult python = run_python(folder, R"(
import pickle, sys, torch
from torch.distributed.checkpoint.metadata import *
from torch.distributed.checkpoint.filesystem import _StorageInfo
ours = pickle.load(open(sys.argv[1] + "/ours", "rb"))
size = torch.Size
w = TensorStorageMetadata(TensorProperties(torch.float32), size([3, 4]), [ChunkStorageMetadata(size([0, 0]), size([2, 4])),
                                                                          ChunkStorageMetadata(size([2, 0]), size([1, 4]))])
n = TensorStorageMetadata(TensorProperties(torch.int64), size([]), [ChunkStorageMetadata(size([]), size([]))])
theirs = Metadata({"n": n, "w": w}, {"n": ("n",), "w": ("w",)},
                  {MetadataIndex("n", size([]), 0): _StorageInfo("__0_0.distcp", 110, 50),
                   MetadataIndex("w", size([0, 0]), 0): _StorageInfo("__0_0.distcp", 10, 100),
                   MetadataIndex("w", size([2, 0]), 1): _StorageInfo("__1_0.distcp", 0, 80)},
                  StorageMeta(save_id="id"), "1.0.0")
assert ours == theirs, (ours, theirs)
for protocol in (2, 3, 4, 5):
    with open(f"{sys.argv[1]}/{protocol}", "wb") as file:
        pickle.dump(theirs, file, protocol=protocol)
)",
                                          folder.string());
  ASSERT_EQ(python.status, 0) << python.output;
  for (const char* protocol : {"2", "3", "4", "5"})
    EXPECT_EQ(write_dcp_metadata(read_dcp_metadata(read_file(folder / protocol))), read_file(folder / "ours"))
        << protocol;
}

}  // namespace
}  // namespace parity::reference
