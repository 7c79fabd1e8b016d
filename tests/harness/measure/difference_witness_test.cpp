// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Every metric of two tensors of every dtype against numpy, which decodes the bits by itself.
#include <cmath>
#include <fstream>

#include <gtest/gtest.h>

#include "harness/base/json/json.hpp"
#include "harness/measure/difference/measure_difference.hpp"
#include "tests/support/scratch.hpp"
#include "tests/support/traces/samples.hpp"

namespace parity::measure {
namespace {

constexpr const char* program = R"(
import json, sys
import numpy as np

FLOATS = {"float64": (11, 52), "float32": (8, 23), "bfloat16": (8, 7), "float16": (5, 10), "float8_e4m3fn": (4, 3),
          "float8_e5m2": (5, 2)}

def decode(bits, name):  # (1 + m / 2^M) 2^(e - bias), or m / 2^M 2^(1 - bias) where e is 0
    E, M = FLOATS[name]
    bits = bits.astype("u8")
    m, e, s = bits & (1 << M) - 1, bits >> M & (1 << E) - 1, bits >> E + M & 1
    bias = 2 ** (E - 1) - 1
    value = np.where(e == 0, np.ldexp(m.astype("f8"), (1 - bias - M)),
                     np.ldexp(1 + m.astype("f8") / 2.0**M, e.astype("i8") - bias))
    if name == "float8_e4m3fn":
        value = np.where((e == 15) & (m == 7), np.nan, value)
    else:
        value = np.where(e == 2**E - 1, np.where(m == 0, np.inf, np.nan), value)
    return np.where(s == 1, -value, value)

def keys(bits, name):  # Python integers: no width to overflow
    if name in FLOATS:
        width = sum(FLOATS[name]) + 1
        top = 1 << width - 1
        return np.array([-(int(b) - top) if int(b) >= top else int(b) for b in bits], dtype=object)
    return np.array([int(b) for b in bits], dtype=object)

def number(x):
    return repr(float(x))

def measure(name, e_raw, a_raw):
    size = {"float64": "u8", "float32": "u4", "bfloat16": "u2", "float16": "u2"}.get(name, "u1")
    kind = size if name in FLOATS else {"bool": "u1"}.get(name, name)
    eb, ab = np.fromfile(e_raw, kind), np.fromfile(a_raw, kind)
    with np.errstate(all="ignore"):
        e, a = ((decode(b, name) if name in FLOATS else b.astype("f8")) for b in (eb, ab))
        ke, ka = keys(eb, name), keys(ab, name)
        steps = ka - ke
        nan = np.isnan(e) | np.isnan(a)
        out = {"differing": int(((eb != ab) | nan).sum()), "nan": [int(np.isnan(e).sum()), int(np.isnan(a).sum())],
               "inf": [int(np.isinf(e).sum()), int(np.isinf(a).sum())],
               "norm": number(np.sqrt((e[np.isfinite(e)] ** 2).sum())),
               "bins": [0] * 65, "first_nan": int(nan.argmax()) if nan.any() else -1}
        for d in steps[~nan]:
            out["bins"][abs(int(d)).bit_length()] += 1
        if nan.any():
            return out
        error = np.array([abs(float(d)) for d in steps]) if name == "int64" else np.where(e == a, 0, np.abs(a - e))
        finite = np.isfinite(e) & np.isfinite(a)
        E, A = e[finite], a[finite]
        out |= {"l2": number(np.sqrt((error ** 2).sum())), "linf": number(error.max() / np.abs(e[np.isfinite(e)]).max()),
                "max_abs": number(error.max()), "worst": int((error if error.any() else eb != ab).argmax()),
                "cosine": number(A @ E / np.linalg.norm(A) / np.linalg.norm(E)),
                "rtol": number(np.where(error == 0, 0, np.where(np.isinf(error), np.inf, error / np.abs(e))).max()),
                "max_ulp": max(abs(int(d)) for d in steps), "mean_ulp": number(sum(abs(int(d)) for d in steps) / len(e)),
                "bias_ulp": number(sum(int(d) for d in steps) / len(e))}
    return out

rows = sys.argv[1:]
json.dump([measure(*rows[i:i + 3]) for i in range(0, len(rows), 3)], sys.stdout)
)";

/// The kinds of elements of two tensors.
enum class Elements { any_bits, no_nan, a_few_steps_apart };
constexpr std::array all_elements = {Elements::any_bits, Elements::no_nan, Elements::a_few_steps_apart};

bool is_nan(const Sample& sample, size_t i) {
  return std::isnan(sample.value(i));
}

/// Bits of every kind: subnormal, negative, zero of either sign, infinite.
std::pair<Sample, Sample> make_pair(DType dtype, Elements elements, size_t count) {
  Sample e(dtype, std::vector<double>(count, 0.0));
  std::mt19937 random(static_cast<unsigned>(dtype) * 3 + static_cast<unsigned>(elements));
  for (size_t i = 0; i + 1 < e.bytes.size(); ++i)
    e.bytes[i] = static_cast<std::byte>(random());
  if (dtype == DType::bool8)
    for (std::byte& byte : e.bytes)
      byte &= std::byte{1};
  Sample a = e;
  for (size_t i = 0; i < count; ++i) {
    // A double whose square overflows says nothing about a sum.
    if (dtype == DType::float64)
      e.bytes[8 * i + 7] = static_cast<std::byte>((random() & 0x80) | (0x38 + random() % 16));
    if (i % 50 == 7)
      e.set(i, i % 100 == 7 ? 0.0 : -0.0);
    if (elements != Elements::any_bits && is_nan(e, i))
      e.set(i, 1);
    if (elements == Elements::a_few_steps_apart && std::isinf(e.value(i)))
      e.set(i, 3);
    std::memcpy(a.bytes.data() + i * size_of(dtype), e.bytes.data() + i * size_of(dtype), size_of(dtype));
    const auto steps = elements == Elements::a_few_steps_apart ? random() % 5 : random() % 3 * 41;
    for (size_t step = 0; step < steps; ++step)
      a.next(i);
    if (elements != Elements::any_bits && !std::isfinite(a.value(i)))
      std::memcpy(a.bytes.data() + i * size_of(dtype), e.bytes.data() + i * size_of(dtype), size_of(dtype));
  }
  return {e, a};
}

double read(const Json& row, const char* name) {
  return std::stod(row[name].get<std::string>());
}

/// 3000 terms in another order; squares are correctly rounded on both sides.
void expect_close(double found, double expected, const std::string& what) {
  if (std::isfinite(expected)) {
    EXPECT_NEAR(found, expected, std::fabs(expected) * 3000 * 0x1p-53) << what;
  } else {
    EXPECT_EQ(std::isnan(found) ? "nan" : std::to_string(found),
              std::isnan(expected) ? "nan" : std::to_string(expected))
        << what;
  }
}

void expect_same(const Difference& found, const Json& row) {
  EXPECT_EQ(found.differing, row["differing"]);
  EXPECT_EQ(found.expected_nan, row["nan"][0]);
  EXPECT_EQ(found.actual_nan, row["nan"][1]);
  EXPECT_EQ(found.expected_inf, row["inf"][0]);
  EXPECT_EQ(found.actual_inf, row["inf"][1]);
  expect_close(found.expected_norm, read(row, "norm"), "norm");
  ASSERT_TRUE(found.profile);
  EXPECT_EQ(Json(found.profile->ulps), row["bins"]);
  if (row["first_nan"] >= 0) {
    EXPECT_EQ(found.worst_index, row["first_nan"]);
    EXPECT_TRUE(std::isnan(found.relative_l2));
    return;
  }
  expect_close(found.l2_error, read(row, "l2"), "l2");
  expect_close(found.relative_linf, read(row, "linf"), "linf");
  expect_close(found.mean_ulp, read(row, "mean_ulp"), "mean_ulp");
  EXPECT_NEAR(found.bias_ulp, read(row, "bias_ulp"), read(row, "mean_ulp") * 0x1p-50);
  EXPECT_EQ(found.max_abs_error, read(row, "max_abs"));
  EXPECT_EQ(found.needed_rtol, read(row, "rtol"));
  EXPECT_EQ(found.max_ulp, row["max_ulp"].get<uint64_t>());
  EXPECT_EQ(found.worst_index, row["worst"]);
  if (std::isfinite(found.max_abs_error)) {
    EXPECT_NEAR(found.cosine, read(row, "cosine"), 3000 * 0x1p-53);
  }
}

class DifferenceWitnessTest : public FolderTest {};

TEST_F(DifferenceWitnessTest, NumpyFindsTheSameOfEveryDtype) {
  std::string arguments;
  std::vector<std::pair<Sample, Sample>> pairs;
  for (const DType dtype : all_dtypes())
    for (const Elements elements : all_elements) {
      pairs.push_back(make_pair(dtype, elements, 3001));
      arguments += std::string(name_of(dtype == DType::residue64 ? DType::int64 : dtype)) + " ";
      for (const Sample* side : {&pairs.back().first, &pairs.back().second}) {
        const auto path = folder / std::to_string(arguments.size());
        std::ofstream(path, std::ios::binary)
            .write(static_cast<const char*>(side->view.data),
                   static_cast<std::streamsize>(side->view.bytes()));
        arguments += path.string() + " ";
      }
    }
  const CommandResult run = run_python(folder, program, arguments);
  ASSERT_EQ(run.status, 0) << run.output;
  const Json rows = Json::parse(run.output);
  ASSERT_EQ(rows.size(), pairs.size());
  for (size_t i = 0; i < pairs.size(); ++i) {
    SCOPED_TRACE(std::string(name_of(pairs[i].first.view.dtype)) + ", elements " +
                 std::to_string(i % all_elements.size()));
    expect_same(measure_difference(pairs[i].first.view, pairs[i].second.view, {.profile = true}), rows[i]);
  }
}

}  // namespace
}  // namespace parity::measure
