// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/checkpoints/files/safetensors.hpp"

#include <algorithm>
#include <cstring>
#include <span>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "harness/base/error.hpp"
#include "tests/support/scratch.hpp"

namespace parity::checkpoints {
namespace {

using testing::HasSubstr;

class SafetensorsTest : public FolderTest {
 protected:
  const std::filesystem::path path = folder / "x.safetensors";

  std::string refusal() const {
    try {
      const SafetensorsFile file(path);
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  }

  void write_raw(uint64_t length, const std::string& rest) const {
    std::string bytes(8, '\0');
    std::memcpy(bytes.data(), &length, 8);
    write_file(path, bytes + rest);
  }
};

template <class T>
TensorToWrite to_write(const std::string& name, DType dtype, const Shape& shape,
                       const std::vector<T>& values) {
  return {name, dtype, shape,
          [&values](const auto& take) { take(values.data(), values.size() * sizeof(T)); }};
}

TEST_F(SafetensorsTest, WhatIsWrittenIsReadBackBitForBit) {
  const std::vector<float> a = {1, -0.0F, 3e-45F, 4};
  const std::vector<uint16_t> b = {0x7FC1, 0x8000, 1};
  const std::vector<double> c = {1e300};
  write_safetensors(path,
                    {to_write("b", DType::bfloat16, {3}, b), to_write("a", DType::float32, {2, 2}, a),
                     to_write("c", DType::float64, {}, c)},
                    {{"format", "pt"}});
  const SafetensorsFile file(path);
  EXPECT_EQ(file.metadata().at("format"), "pt");
  ASSERT_EQ(file.tensors().size(), 3U);
  const TensorView& read = file.tensors().at("a");
  EXPECT_EQ(read.shape, (Shape{2, 2}));
  EXPECT_TRUE(std::ranges::equal(read.raw(), std::as_bytes(std::span(a))));
  EXPECT_TRUE(std::ranges::equal(file.tensors().at("b").raw(), std::as_bytes(std::span(b))));
  EXPECT_TRUE(std::ranges::equal(file.tensors().at("c").raw(), std::as_bytes(std::span(c))));
  for (const auto& [name, tensor] : file.tensors())
    EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor.data) % size_of(tensor.dtype), 0U) << name;
}

TEST_F(SafetensorsTest, EqualTensorsInAnyOrderGiveEqualBytes) {
  const std::vector<float> a = {1}, b = {2};
  write_safetensors(path, {to_write("a", DType::float32, {1}, a), to_write("b", DType::float32, {1}, b)});
  const std::string first = read_file(path);
  write_safetensors(path, {to_write("b", DType::float32, {1}, b), to_write("a", DType::float32, {1}, a)});
  EXPECT_EQ(read_file(path), first);
}

TEST_F(SafetensorsTest, FailedTensorWrite_KeepsTheOldFile) {
  write_file(path, "old");
  const std::vector<float> a = {1, 2};
  EXPECT_THROW(write_safetensors(path, {to_write("a", DType::float32, {3}, a)}), InternalError);
  EXPECT_EQ(read_file(path), "old");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1) << "no temporary file is left";
}

TEST_F(SafetensorsTest, RefusesFilesThatAreNoneOrNotThere) {
  try {
    const SafetensorsFile file(path);
    FAIL();
  } catch (const UserError& error) {
    EXPECT_EQ(error.code(), ExitCode::missing);
    EXPECT_THAT(error.what(), HasSubstr("does not exist"));
  }
  write_file(path, "");
  EXPECT_THAT(refusal(), HasSubstr("it has 0 bytes"));
  write_file(path, "1234567");
  EXPECT_THAT(refusal(), HasSubstr("it has 7 bytes"));
  write_raw(3, "{}");
  EXPECT_THAT(refusal(), HasSubstr("and only 2 follow"));
  write_raw(UINT64_MAX, "{}");
  EXPECT_THAT(refusal(), HasSubstr("more than the 100000000"));
  write_raw(2, "{}");
  EXPECT_EQ(refusal(), "");
  std::filesystem::remove(path);
  std::filesystem::create_directory(path);
  EXPECT_THAT(refusal(), HasSubstr("it is a folder"));
  std::filesystem::remove(path);
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_THAT(refusal(), HasSubstr("a pipe"));
}

TEST_F(SafetensorsTest, EveryCutOfAFileIsRefused) {
  const std::vector<float> a = {1, 2};
  write_safetensors(path, {to_write("a", DType::float32, {2}, a)});
  const std::string whole = read_file(path);
  for (size_t length = 0; length < whole.size(); ++length) {
    write_file(path, whole.substr(0, length));
    EXPECT_NE(refusal(), "") << length;
  }
  write_file(path, whole + "x");
  EXPECT_THAT(refusal(), HasSubstr("9 bytes follow the header, and its tensors take 8"));
}

TEST_F(SafetensorsTest, NumpyReadsWhatTheFormatSays) {
  // The format in six lines of numpy: an independent witness.
  const std::vector<float> a = {1.5F, -2, 3, 4};
  write_safetensors(path, {to_write("a", DType::float32, {2, 2}, a)});
  const CommandResult result = run_python(folder, R"(
import json, numpy, struct, sys
raw = open(sys.argv[1], "rb").read()
length, = struct.unpack("<Q", raw[:8])
entry = json.loads(raw[8:8 + length])["a"]
first, end = entry["data_offsets"]
assert entry["dtype"] == "F32" and 8 + length + end == len(raw)
print(numpy.frombuffer(raw[8 + length + first:8 + length + end], "<f4").reshape(entry["shape"]).tolist())
)",
                                          path.string());
  EXPECT_EQ(result.output, "[[1.5, -2.0], [3.0, 4.0]]\n");
}

}  // namespace
}  // namespace parity::checkpoints
