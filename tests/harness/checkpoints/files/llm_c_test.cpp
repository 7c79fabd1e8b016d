// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/checkpoints/files/llm_c.hpp"

#include <array>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/checkpoints/files/open_checkpoint.hpp"
#include "tests/support/scratch.hpp"

namespace parity::checkpoints {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class LlmcFileTest : public FolderTest {
 protected:
  // 2 positions, a vocabulary of 3 padded to 4, 2 layers and 2 heads of a width of 4.
  std::array<int32_t, 256> header_{20240326, 3, 2, 3, 2, 2, 4, 4};
  static constexpr size_t elements =
      4 * 4 + 2 * 4 + 2 * (4 + 4 + 48 + 12 + 16 + 4 + 4 + 4 + 64 + 16 + 64 + 4) + 8;
  std::vector<float> values_ = std::vector<float>(elements);

  void SetUp() override {
    FolderTest::SetUp();
    std::iota(values_.begin(), values_.end(), 1.0F);
    std::fill_n(values_.begin() + 12, 4, 0.0F);
  }
  std::filesystem::path written(size_t count = elements) const {
    std::string bytes(reinterpret_cast<const char*>(header_.data()), sizeof header_);
    bytes.append(reinterpret_cast<const char*>(values_.data()), count * sizeof(float));
    write_file(folder / "model.bin", bytes);
    return folder / "model.bin";
  }
  std::string refusal(size_t count = elements) const {
    try {
      const LlmcFile file(written(count));
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  }
};

float first_of(const StoredTensor& tensor) {
  return *static_cast<const float*>(tensor.data);
}

TEST_F(LlmcFileTest, HasNanoGptsTensors) {
  const Checkpoint read = open_checkpoint(written().string());
  EXPECT_EQ(read.format, "llm.c");
  EXPECT_EQ(read.head_size, 2);
  EXPECT_EQ(read.tensors.size(), 4U + 2 * 12);
  EXPECT_EQ(read.tensors.at("transformer.wte.weight").shape, (Shape{3, 4}));
  EXPECT_EQ(read.tensors.at("transformer.h.1.attn.c_attn.weight").shape, (Shape{12, 4}));
  EXPECT_EQ(first_of(read.tensors.at("transformer.wpe.weight")), 17);
  EXPECT_EQ(first_of(read.tensors.at("transformer.h.0.ln_1.weight")), 25);
  EXPECT_EQ(first_of(read.tensors.at("transformer.h.1.ln_1.weight")), 29) << "layers are stacked";
  EXPECT_EQ(first_of(read.tensors.at("transformer.h.1.attn.c_attn.weight")), 25 + 16 + 48);
  EXPECT_EQ(first_of(read.tensors.at("transformer.ln_f.bias")), elements - 3);
}

TEST_F(LlmcFileTest, PaddingWithValues_IsATensor) {
  values_[14] = 1;
  const LlmcFile file(written());
  EXPECT_EQ(file.tensors().at("transformer.wte.padding").shape, (Shape{1, 4}));
}

TEST_F(LlmcFileTest, BfloatOfVersionFive_HasHalfTheBytes) {
  header_[1] = 5;
  EXPECT_THAT(refusal(),
              AllOf(HasSubstr("its header says"), HasSubstr("and " + std::to_string(elements * 4))));
  const LlmcFile file(written(elements / 2));
  EXPECT_EQ(file.tensors().at("transformer.ln_f.bias").dtype, DType::bfloat16);
}

TEST_F(LlmcFileTest, HeadOfASafetensorsFileOfThatLength_IsAnother) {
  std::string head("\xc6\xd7\x34\x01\0\0\0\0{", 9);
  EXPECT_FALSE(has_llm_c_head(head));
  head[4] = 3;
  EXPECT_TRUE(has_llm_c_head(head));
  EXPECT_FALSE(has_llm_c_head(head.substr(0, 7)));
}

TEST_F(LlmcFileTest, Truncated_IsRefused) {
  EXPECT_THAT(refusal(elements - 1), HasSubstr("is not a model file of llm.c (its header says"));
}

TEST_F(LlmcFileTest, OtherVersion_IsRefused) {
  header_[1] = 2;
  EXPECT_THAT(refusal(), HasSubstr("its version is 2; versions 3, float32, and 5, bfloat16, are read"));
}

TEST_F(LlmcFileTest, ImpossibleSizes_AreRefused) {
  const std::array<int32_t, 256> good = header_;
  for (const size_t field : {2U, 3U, 4U, 5U, 6U, 7U})
    for (const int32_t value : {0, -1, 3, 2147483647}) {
      header_ = good;
      header_.at(field) = value;
      EXPECT_TRUE(header_ == good || !refusal().empty()) << "field " << field << " is " << value;
    }
}

}  // namespace
}  // namespace parity::checkpoints
