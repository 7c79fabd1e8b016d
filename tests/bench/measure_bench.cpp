// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Times the passes of harness/measure over two tensors in memory, and a plain read of the same memory.
//
// Usage: measure_bench DTYPE EXPECTED ACTUAL THREADS REPEATS OPERATION...
//
// The files contain bare elements. Each repeat runs each operation once, so that a machine that changes speed
// does so for all. Prints {"OPERATION": [seconds, ...], ...}. read, difference and profile take both sides
// and so many threads; digest, sketch, statistics and row (all three, as a recorder does) take the expected
// side. OPERATION@avx2 and OPERATION@baseline take narrower vectors than the machine has.
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>

#include "harness/base/json/json.hpp"
#include "harness/measure/difference/measure_difference.hpp"
#include "harness/measure/lanes/pack.hpp"
#include "harness/measure/lanes/share_work.hpp"
#include "harness/measure/tensor/measurement.hpp"

namespace parity {
namespace {

struct Buffer {
  size_t bytes;
  std::unique_ptr<std::byte, decltype(&std::free)> data;

  explicit Buffer(const std::string& path)
      : bytes(std::filesystem::file_size(path)),
        data(static_cast<std::byte*>(std::aligned_alloc(1 << 21, (bytes >> 21 << 21) + (1 << 21))),
             &std::free) {
    std::ifstream(path, std::ios::binary)
        .read(reinterpret_cast<char*>(data.get()), static_cast<std::streamsize>(bytes));
  }
};

struct AddWords {
  template <size_t width>
  uint64_t operator()(const std::byte* data, size_t bytes) const {
    using Words = measure::simd::Pack<uint64_t, width>;
    Words sums[4] = {Words::zero(), Words::zero(), Words::zero(), Words::zero()};
    for (size_t i = 0; i + sizeof sums <= bytes; i += sizeof sums)
      for (size_t k = 0; k < 4; ++k)
        sums[k] += Words::load(data + i + k * sizeof(Words));
    uint64_t total = 0;
    for (const uint64_t each : (sums[0] + sums[1] + sums[2] + sums[3]).values())
      total += each;
    return total;
  }
};

/// Reads both sides as fast as this machine can, one megabyte at a time.
uint64_t read_both(const TensorView& e, const TensorView& a, int threads) {
  constexpr size_t piece = size_t{1} << 20;
  const size_t pieces = (e.bytes() + piece - 1) / piece;
  std::atomic<uint64_t> total = 0;
  measure::share_work(static_cast<int64_t>(pieces), threads, [&](int64_t i) {
    const size_t first = static_cast<size_t>(i) * piece, bytes = std::min(piece, e.bytes() - first);
    for (const TensorView* side : {&e, &a})
      total +=
          measure::simd::run_packed(AddWords{}, static_cast<const std::byte*>(side->data) + first, bytes);
  });
  return total;
}

/// "difference@avx2": the operation, whose vectors are at most that wide while it runs.
class AtLevel {
 public:
  explicit AtLevel(const std::string& words) : operation(words.substr(0, words.find('@'))) {
    const std::string level = words.substr(std::min(words.size(), operation.size() + 1));
    if (level == "avx2")
      measure::simd::level() = std::min(before_, measure::simd::Level::avx2);
    else if (level == "baseline")
      measure::simd::level() = measure::simd::Level::baseline;
    else if (!level.empty())
      throw UserError("no vectors are called " + level + "; take avx2 or baseline");
  }
  ~AtLevel() { measure::simd::level() = before_; }
  AtLevel(const AtLevel&) = delete;
  AtLevel& operator=(const AtLevel&) = delete;

 private:
  measure::simd::Level before_ = measure::simd::level();

 public:
  const std::string operation;
};

double run_once(const std::string& words, const TensorView& e, const TensorView& a, int threads) {
  const AtLevel at(words);
  const std::string& operation = at.operation;
  volatile double kept = 0;
  const auto start = std::chrono::steady_clock::now();
  if (operation == "read")
    kept = static_cast<double>(read_both(e, a, threads));
  else if (operation == "difference")
    kept = measure::measure_difference(e, a, {.threads = threads}).relative_l2;
  else if (operation == "profile")
    kept = measure::measure_difference(e, a, {.profile = true, .threads = threads}).relative_l2;
  else if (operation == "digest")
    kept = static_cast<double>(measure::digest_of(e).low);
  else if (operation == "sketch")
    kept = measure::sketch_of(e)[0];
  else if (operation == "statistics")
    kept = measure::statistics_of(e).norm;
  else if (operation == "row")
    kept = measure::measure_tensor(e).statistics.norm;
  else
    throw UserError("no operation is called " + words);
  static_cast<void>(kept);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace
}  // namespace parity

int main(int count, char** words) try {
  using namespace parity;
  if (count < 7)
    throw UserError("usage: measure_bench DTYPE EXPECTED ACTUAL THREADS REPEATS OPERATION...");
  const auto dtype = parse_enum<DType>(words[1]);
  const Buffer e(words[2]), a(words[3]);
  const auto elements = static_cast<int64_t>(e.bytes / size_of(dtype));
  const TensorView expected{dtype, {elements / 1024, 1024}, e.data.get()};
  const TensorView actual{dtype, expected.shape, a.data.get()};
  std::map<std::string, std::vector<double>> seconds;
  for (int repeat = 0; repeat < std::atoi(words[5]); ++repeat)
    for (int i = 6; i < count; ++i)
      seconds[words[i]].push_back(run_once(words[i], expected, actual, std::atoi(words[4])));
  std::cout << Json(seconds).dump() << "\n";
  return 0;
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 2;
}
