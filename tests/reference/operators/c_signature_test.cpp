// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/operators/c_signature.hpp"

#include <bit>
#include <sstream>

#include <gtest/gtest.h>

#include "harness/base/error.hpp"

namespace parity::reference {
namespace {

std::ostringstream seen;

extern "C" void mixed(const float* p, double a, int64_t i, float b, int32_t j, int64_t k, int64_t l,
                      int64_t m, double c, int64_t n, int64_t o) {
  seen << p[0] << ' ' << a << ' ' << i << ' ' << b << ' ' << j << ' ' << k << ' ' << l << ' ' << m << ' ' << c
       << ' ' << n << ' ' << o;
}

CArgument integer(int64_t value) {
  return {false, value};
}
CArgument of_double(double value) {
  return {true, 0, value};
}
CArgument of_float(float value) {
  return {true, 0, std::bit_cast<double>(uint64_t{std::bit_cast<uint32_t>(value)})};
}

TEST(CallCFunctionTest, EachArgumentArrives_InAnyOrder) {
  const float one = 1.5F;
  const auto address = static_cast<int64_t>(reinterpret_cast<intptr_t>(&one));
  call_c_function(reinterpret_cast<void*>(&mixed),
                  {integer(address), of_double(2.5), integer(3), of_float(4.5F), integer(-5), integer(6),
                   integer(7), integer(8), of_double(9.5), integer(10), integer(1LL << 40)});
  EXPECT_EQ(seen.str(), "1.5 2.5 3 4.5 -5 6 7 8 9.5 10 1099511627776");
}

TEST(CallCFunctionTest, TooManyArguments_AreRefused) {
  EXPECT_THROW(call_c_function(nullptr, std::vector<CArgument>(15)), UserError);
  EXPECT_THROW(call_c_function(nullptr, std::vector<CArgument>(9, of_double(1))), UserError);
}

TEST(ParseSignatureTest, ReadsPointersAndNumbers) {
  const auto parameters = parse_signature("void (const float *x, float* out,int64_t  n, const double eps)");
  ASSERT_EQ(parameters.size(), 4U);
  EXPECT_EQ(parameters[0].type, CType::float_pointer);
  EXPECT_TRUE(parameters[0].is_const);
  EXPECT_EQ(parameters[0].name, "x");
  EXPECT_FALSE(parameters[1].is_const);
  EXPECT_EQ(parameters[2].type, CType::int64);
  EXPECT_EQ(parameters[3].type, CType::float64);
  EXPECT_TRUE(parse_signature("void()").empty());
}

TEST(ParseSignatureTest, RefusesWhatItCannotCall) {
  for (const char* text : {"", "float(float* x)", "void(float* x", "void(struct shape x)", "void(float*)",
                           "void(float** x)", "void(const float x y)"})
    EXPECT_THROW(parse_signature(text), UserError) << text;
}

}  // namespace
}  // namespace parity::reference
