// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/checkpoints/files/safetensors_header.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/error.hpp"

namespace parity::checkpoints {
namespace {

using testing::HasSubstr;

/// A header of one tensor, as text.
std::string header_of(const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return R"({"a":{"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}}";
}

/// Returns why a header is rejected; empty if it is accepted.
std::string refusal(const std::string& header, uint64_t data_bytes) {
  try {
    parse_header(header, data_bytes, "FILE");
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), testing::StartsWith("FILE "));
    return error.what();
  }
  return "";
}

TEST(SafetensorsHeaderTest, TellsNamesDtypesShapesAndPlaces) {
  const auto header = parse_header(
      R"({"b":{"dtype":"BF16","shape":[3],"data_offsets":[16,22]},"__metadata__":{"format":"pt"},)"
      R"("a":{"shape":[2,2],"data_offsets":[0,16],"dtype":"F32"},"s":{"dtype":"U8","shape":[],"data_offsets":[22,23]}})"
      "  \n ",
      23, "FILE");
  ASSERT_EQ(header.tensors.size(), 3U);
  EXPECT_EQ(header.tensors[0].name, "a");
  EXPECT_EQ(header.tensors[0].type.dtype, DType::float32);
  EXPECT_EQ(header.tensors[0].shape, (Shape{2, 2}));
  EXPECT_EQ(header.tensors[1].name, "b");
  EXPECT_EQ(header.tensors[1].begin, 16U);
  EXPECT_EQ(header.tensors[1].end, 22U);
  EXPECT_EQ(header.tensors[2].shape, Shape{});
  EXPECT_EQ(header.metadata.at("format"), "pt");
}

TEST(SafetensorsHeaderTest, EveryDtypeComesBackUnderItsName) {
  for (size_t i = 0; i < EnumNames<DType>::names.size(); ++i) {
    const auto dtype = static_cast<DType>(i);
    if (dtype == DType::residue64)
      continue;  // weights have none
    const uint64_t bytes = 3 * size_of(dtype);
    const std::string text = header_text({{{"x", stored_types.at(i), {3}, 0, bytes}}, {}});
    EXPECT_THAT(text, HasSubstr("\"" + std::string(safetensors_name(dtype)) + "\""));
    EXPECT_EQ(parse_header(text, bytes, "FILE").tensors.at(0).type.dtype, dtype);
    EXPECT_EQ(text.size() % 8, 0U);
  }
}

TEST(SafetensorsHeaderTest, UnsignedTypes_HaveBitsOnly) {
  const StoredType type = parse_header(header_of("U32", "[2]", "[0,8]"), 8, "FILE").tensors.at(0).type;
  EXPECT_EQ(type.name, "U32");
  EXPECT_EQ(size_of(type.dtype), 4U);
  EXPECT_FALSE(type.has_values);
}

TEST(SafetensorsHeaderTest, EmptyTensorsAndNoTensorsAreFine) {
  EXPECT_EQ(refusal("{}", 0), "");
  EXPECT_EQ(refusal(header_of("F32", "[0,5]", "[0,0]"), 0), "");
  EXPECT_EQ(refusal(R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},)"
                    R"("e":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},)"
                    R"("f":{"dtype":"U8","shape":[0],"data_offsets":[2,2]}})",
                    2),
            "");
}

TEST(SafetensorsHeaderTest, RefusesWhatIsNoJsonObject) {
  for (const std::string& text : {std::string(), std::string(" {}"), std::string("[]"), std::string("{"),
                                  std::string("{}x"), std::string("{}\0{}", 5), std::string("{\"a\xff\":1}"),
                                  std::string(R"({"a":1,})"), std::string("\xEF\xBB\xBF{}")})
    EXPECT_THAT(refusal(text, 0), testing::AnyOf(HasSubstr("not a JSON object"), HasSubstr("not JSON")))
        << text;
  EXPECT_THAT(refusal("{\"a\":" + std::string(200, '[') + std::string(200, ']') + "}", 0), HasSubstr("deep"));
}

TEST(SafetensorsHeaderTest, RefusesAKeyTwiceAtEveryDepth) {
  const std::string a = R"("a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]})";
  EXPECT_THAT(refusal("{" + a + "," + a + "}", 1), HasSubstr("'a' twice"));
  EXPECT_THAT(refusal(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1],"shape":[1]}})", 1),
              HasSubstr("'shape' twice"));
  EXPECT_THAT(refusal(R"({"__metadata__":{"k":"1","k":"2"}})", 0), HasSubstr("'k' twice"));
  EXPECT_THAT(refusal(R"({"\u0061":1,"a":1})", 0), HasSubstr("'a' twice")) << "escapes spell the same name";
  EXPECT_THAT(refusal("{" + a + R"(,"b":{"dtype":"U8","shape":[0],"data_offsets":[1,1]}})", 1), "")
      << "two tensors have the same keys, each once";
}

TEST(SafetensorsHeaderTest, RefusesTensorsThatAreToldOtherwise) {
  for (const char* text : {R"({"a":3})", R"({"a":{"dtype":"U8","shape":[1]}})",
                           R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1],"strides":[1]}})",
                           R"({"a":["U8",[1],[0,1]]})"})
    EXPECT_THAT(refusal(text, 1), HasSubstr("'a' does not have exactly dtype")) << text;
  EXPECT_THAT(refusal(R"({"__metadata__":{"k":1}})", 0), HasSubstr("'k', which is not a string"));
  EXPECT_THAT(refusal(R"({"__metadata__":[]})", 0), HasSubstr("__metadata__"));
  EXPECT_THAT(refusal(header_of("F4", "[1]", "[0,2]"), 2), HasSubstr("dtype 'F4'"));
  EXPECT_THAT(refusal(header_of("f32", "[1]", "[0,4]"), 4), HasSubstr("dtype 'f32'"));
  for (const char* shape : {"[-1]", "[1.0]", "[\"1\"]", "[18446744073709551615]", "[18446744073709551616]"})
    EXPECT_THAT(refusal(header_of("U8", shape, "[0,1]"), 1), HasSubstr("shape with")) << shape;
  EXPECT_THAT(refusal(header_of("U8", "3", "[0,3]"), 3), HasSubstr("a shape that is not a list"));
  for (const char* offsets : {"[0]", "[0,1,2]", "[-1,0]", "[0,1.0]", "3", "[0,18446744073709551616]"})
    EXPECT_THAT(refusal(header_of("U8", "[1]", offsets), 1), HasSubstr("data_offsets that are not"))
        << offsets;
}

TEST(SafetensorsHeaderTest, RefusesSizesThatDoNotFitTheData) {
  EXPECT_THAT(refusal(header_of("F32", "[2,2]", "[0,12]"), 12), HasSubstr("takes 16"));
  EXPECT_THAT(refusal(header_of("F32", "[]", "[0,8]"), 8), HasSubstr("takes 4"));
  EXPECT_THAT(refusal(header_of("U8", "[4]", "[4,0]"), 4), HasSubstr("bytes 4 to 0"));
  EXPECT_THAT(refusal(header_of("U8", "[0]", "[9,9]"), 4), HasSubstr("cut short"));
  EXPECT_THAT(refusal(header_of("F32", "[4]", "[0,16]"), 15), HasSubstr("cut short"));
  EXPECT_THAT(refusal(header_of("U8", "[4]", "[0,4]"), 5), HasSubstr("5 bytes follow"));
  EXPECT_THAT(refusal("{}", 1), HasSubstr("its tensors take 0"));
}

TEST(SafetensorsHeaderTest, RefusesProductsThatOverflow) {
  for (const char* shape : {"[4611686018427387904,4]", "[4611686018427387904,4,0]", "[2305843009213693952]",
                            "[4294967296,4294967296]"})
    EXPECT_THAT(refusal(header_of("F64", shape, "[0,0]"), 0), HasSubstr("more bytes than can be counted"))
        << shape;
}

TEST(SafetensorsHeaderTest, RefusesHolesAndOverlaps) {
  const auto two = [](const std::string& first, const std::string& second) {
    return R"({"a":{"dtype":"U8","shape":[4],"data_offsets":)" + first +
           R"(},"b":{"dtype":"U8","shape":[4],"data_offsets":)" + second + "}}";
  };
  EXPECT_EQ(refusal(two("[4,8]", "[0,4]"), 8), "");
  EXPECT_THAT(refusal(two("[0,4]", "[2,6]"), 6), HasSubstr("'b' begins at byte 2, where another"));
  EXPECT_THAT(refusal(two("[0,4]", "[0,4]"), 4), HasSubstr("where another"));
  EXPECT_THAT(refusal(two("[0,4]", "[6,10]"), 10), HasSubstr("leaves a hole from 4"));
  EXPECT_THAT(refusal(two("[5,9]", "[1,5]"), 9), HasSubstr("'b' begins at byte 1 and leaves a hole from 0"));
}

}  // namespace
}  // namespace parity::checkpoints
