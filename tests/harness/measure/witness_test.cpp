// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Digests, sketches, statistics and differences against an independent implementation in numpy.
#include <gtest/gtest.h>

#include "harness/base/json/json.hpp"
#include "harness/measure/difference/measure_difference.hpp"
#include "harness/measure/tensor/digest.hpp"
#include "harness/measure/tensor/sketch.hpp"
#include "harness/measure/tensor/statistics.hpp"
#include "tests/support/scratch.hpp"
#include "tests/support/traces/samples.hpp"

namespace parity::measure {
namespace {

constexpr const char* witness_program = R"(
import json, sys
import numpy as np

M = (1 << 64) - 1

def digest(raw):  # Python integers, one element at a time, as FORMAT.md says
    low = high = 0
    for i, bits in enumerate(raw):
        x = int(bits) ^ ((i + 1) * 0x9E3779B97F4A7C15 & M)
        x ^= x >> 32
        x = x * 0xFF51AFD7ED558CCD & M
        x ^= x >> 29
        l, h = x * 0xC4CEB9FE1A85EC53 & M, x * 0xD6E8FEB86659FD93 & M
        low, high = low + (l ^ l >> 32) & M, high + (h ^ h >> 32) & M
    return f"{high:016x}{low:016x}"

def sign(i):
    x = (i // 64 + 1) * 0x9E3779B97F4A7C15 & M
    x ^= x >> 33
    x = x * 0xFF51AFD7ED558CCD & M
    x ^= x >> 33
    x = x * 0xC4CEB9FE1A85EC53 & M
    x ^= x >> 33
    return -1.0 if x >> i % 64 & 1 else 1.0

def sketch(values, k=64):
    sums = [0.0] * k
    for i, x in enumerate(values):
        sums[i * k // len(values)] += sign(i) * float(x)
    return sums

e, a = (np.fromfile(path, "<f4") for path in sys.argv[1:3])
e64, a64 = e.astype("f8"), a.astype("f8")
key = lambda v: np.where(v.view("i4") >= 0, v.view("i4").astype("i8"), -(2**31) - v.view("i4").astype("i8"))
json.dump({
    "digest": digest(e.view("<u4")), "bytes": digest(e.view("u1")), "sketch": sketch(e64),
    "norm": float(np.linalg.norm(e64)), "relative_l2": float(np.linalg.norm(a64 - e64) / np.linalg.norm(e64)),
    "cosine": float(a64 @ e64 / np.linalg.norm(a64) / np.linalg.norm(e64)),
    "max_ulp": int(np.abs(key(a) - key(e)).max()), "worst": int(np.abs(a64 - e64).argmax()),
    "needed_rtol": float((np.abs(a64 - e64) / np.abs(e64)).max()),
}, sys.stdout)
)";

class WitnessTest : public FolderTest {};

TEST_F(WitnessTest, NumpyFindsTheSame) {
  auto values = random_values(3001);
  for (size_t i = 0; i < values.size(); i += 3)
    values[i] = -values[i];
  const Sample e(DType::float32, values);
  for (size_t i = 0; i < values.size(); i += 5)
    values[i] *= 1 + 1e-6 * static_cast<double>(i % 7);
  const Sample a(DType::float32, values);
  const auto bytes = [](const Sample& sample) {
    return std::string_view(static_cast<const char*>(sample.view.data), sample.view.bytes());
  };
  write_file(folder / "e", bytes(e));
  write_file(folder / "a", bytes(a));
  const CommandResult run =
      run_python(folder, witness_program, (folder / "e").string() + " " + (folder / "a").string());
  ASSERT_EQ(run.status, 0) << run.output;
  const Json expected = Json::parse(run.output);

  EXPECT_EQ(to_string(digest_of(e.view)), expected["digest"].get<std::string>());
  EXPECT_EQ(to_string(digest_of({DType::uint8, {4 * 3001}, e.view.data})),
            expected["bytes"].get<std::string>());
  const auto sums = sketch_of(e.view);
  for (size_t b = 0; b < sums.size(); ++b)  // 47 terms below 8 in another order
    EXPECT_NEAR(sums[b], expected["sketch"][b].get<double>(), 47 * 47 * 8 * 0x1p-53);
  const Difference found = measure_difference(e.view, a.view);
  EXPECT_NEAR(statistics_of(e.view).norm / expected["norm"].get<double>(), 1, 1e-14);
  EXPECT_NEAR(found.relative_l2 / expected["relative_l2"].get<double>(), 1, 1e-12);
  EXPECT_NEAR(found.cosine, expected["cosine"].get<double>(), 1e-14);
  EXPECT_EQ(found.max_ulp, expected["max_ulp"].get<uint64_t>());
  EXPECT_EQ(found.worst_index, expected["worst"].get<int64_t>());
  EXPECT_EQ(found.needed_rtol, expected["needed_rtol"].get<double>());
}

}  // namespace
}  // namespace parity::measure
