// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/checkpoints/files/weight_files.hpp"

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "harness/base/json/json.hpp"
#include "harness/checkpoints/files/sharded_safetensors.hpp"
#include "tests/support/scratch.hpp"

namespace parity::checkpoints {
namespace {

using testing::HasSubstr;

class WeightFilesTest : public FolderTest {
 protected:
  /// A file with one-byte tensors of these names.
  void write_names(const std::string& file, const std::vector<std::string>& names) const {
    static constexpr unsigned char byte = 7;
    std::vector<TensorToWrite> tensors;
    for (const std::string& name : names)
      tensors.push_back({name, DType::uint8, {1}, [](const auto& take) { take(&byte, 1); }});
    write_safetensors(folder / file, std::move(tensors));
  }
  void write_index(const std::string& map) const {
    write_file(folder / "model.safetensors.index.json",
               R"({"metadata": {"total_size": 3}, "weight_map": )" + map + "}");
  }
  std::string refusal(ExitCode code = ExitCode::bad_input) const {
    try {
      const WeightFiles files(folder);
    } catch (const UserError& error) {
      EXPECT_EQ(error.code(), code);
      return error.what();
    }
    return "";
  }
};

TEST_F(WeightFilesTest, ReadsWhatTheShardedWriterWrites) {
  static constexpr std::array<unsigned char, 5> bytes = {1, 2, 3, 4, 5};
  std::vector<TensorToWrite> tensors;
  for (const auto& [name, size] :
       {std::pair("a", 2), std::pair("b", 1), std::pair("c", 5), std::pair("d", 3)})
    tensors.push_back({name, DType::uint8, {size}, [size = size](const auto& take) {
                         take(bytes.data(), static_cast<size_t>(size));
                       }});
  write_sharded_safetensors(folder / "model.safetensors.index.json", std::move(tensors), 3);
  const WeightFiles files(folder);
  EXPECT_EQ(files.tensors().size(), 4U);
  EXPECT_EQ(files.tensors().at("c").shape, Shape{5});
  EXPECT_EQ(Json::parse(read_file(folder / "model.safetensors.index.json")), Json::parse(R"(
    {"metadata": {"total_size": 11},
     "weight_map": {"a": "model-00001-of-00003.safetensors", "b": "model-00001-of-00003.safetensors",
                    "c": "model-00002-of-00003.safetensors", "d": "model-00003-of-00003.safetensors"}})"));
  std::filesystem::remove(folder / "model-00002-of-00003.safetensors");
  EXPECT_NE(refusal(ExitCode::missing), "");
}

TEST_F(WeightFilesTest, TakesAFileOrAFolderWithOneOrWithAnIndex) {
  write_names("one.safetensors", {"a"});
  EXPECT_EQ(WeightFiles(folder / "one.safetensors").tensors().size(), 1U);
  EXPECT_THAT(refusal(ExitCode::missing), HasSubstr("neither model.safetensors nor"));
  write_names("model.safetensors", {"a", "b"});
  EXPECT_EQ(WeightFiles(folder).tensors().size(), 2U);
  write_names("x.safetensors", {"a", "b"});
  write_names("y.safetensors", {"c"});
  write_index(R"({"a": "x.safetensors", "b": "x.safetensors", "c": "y.safetensors"})");
  EXPECT_EQ(WeightFiles(folder).tensors().size(), 3U);
}

TEST_F(WeightFilesTest, RefusesAnIndexThatDoesNotFitItsFiles) {
  write_names("x.safetensors", {"a", "b"});
  write_names("y.safetensors", {"c"});
  write_index(R"({"a": "x.safetensors", "c": "y.safetensors"})");
  EXPECT_THAT(refusal(), HasSubstr("'x.safetensors' has a tensor 'b', which the index puts nowhere"));
  write_index(R"({"a": "x.safetensors", "b": "y.safetensors", "c": "y.safetensors"})");
  EXPECT_THAT(refusal(), HasSubstr("which the index puts into 'y.safetensors'"));
  write_index(R"({"a": "x.safetensors", "b": "x.safetensors", "c": "y.safetensors", "d": "y.safetensors"})");
  EXPECT_THAT(refusal(), HasSubstr("'d' in 'y.safetensors', which has no such tensor"));
  write_index(R"({"a": "x.safetensors", "b": "x.safetensors", "c": "z.safetensors"})");
  EXPECT_THAT(refusal(ExitCode::missing), HasSubstr("z.safetensors"));
}

TEST_F(WeightFilesTest, RefusesATensorThatTwoFilesHave) {
  write_names("x.safetensors", {"a", "b"});
  write_names("y.safetensors", {"b", "c"});
  write_index(R"({"a": "x.safetensors", "b": "x.safetensors", "c": "y.safetensors"})");
  EXPECT_THAT(refusal(),
              HasSubstr("'y.safetensors' has a tensor 'b', which the index puts into 'x.safetensors'"));
}

TEST_F(WeightFilesTest, RefusesAnIndexThatIsNone) {
  for (const char* map : {"3", "{}", "[]"}) {
    write_index(map);
    EXPECT_THAT(refusal(), HasSubstr("no weight_map")) << map;
  }
  for (const char* file :
       {R"("../x.safetensors")", R"("/etc/passwd")", R"("..")", R"("")", "3", R"("a/b")"}) {
    write_index(R"({"a": )" + std::string(file) + "}");
    EXPECT_THAT(refusal(), HasSubstr("not the name of a file next to it")) << file;
  }
  write_index(R"({"a": "x.safetensors", "a": "y.safetensors"})");
  EXPECT_THAT(refusal(), HasSubstr("'a' twice"));
  write_file(folder / "model.safetensors.index.json", "{");
  EXPECT_THAT(refusal(), HasSubstr("not JSON"));
}

}  // namespace
}  // namespace parity::checkpoints
