// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/goldens/sizes.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "harness/base/files/file.hpp"
#include "harness/suite/goldens/unused_goldens.hpp"
#include "harness/suite/results/case_outcome.hpp"
#include "harness/suite/runs/cache.hpp"

namespace parity::suite {
namespace fs = std::filesystem;
namespace {

constexpr size_t most_named = 5;

std::string describe_largest(const GoldenSizes& sizes) {
  std::string words;
  for (size_t i = 0; i < std::min(sizes.files.size(), most_named); ++i)
    words += fmt::format("{}{} ({})", i == 0 ? "" : ", ", path_from_here(sizes.files[i].file),
                         format_bytes(sizes.files[i].bytes));
  return words;
}

}  // namespace

uint64_t GoldenSizes::bytes() const {
  uint64_t sum = 0;
  for (const GoldenSize& each : files)
    sum += each.bytes;
  return sum;
}

Json GoldenSizes::to_json() const {
  return {{"files", files.size()}, {"bytes", bytes()}, {"limit", limit}};
}

GoldenSizes golden_sizes(const fs::path& root, uint64_t limit) {
  GoldenSizes sizes{{}, limit};
  for (const fs::path& file : golden_files(root)) {
    std::error_code error;
    const uintmax_t bytes = fs::file_size(file, error);
    if (!error)
      sizes.files.push_back({file, bytes});
  }
  std::sort(sizes.files.begin(), sizes.files.end(), [](const GoldenSize& a, const GoldenSize& b) {
    return a.bytes != b.bytes ? a.bytes > b.bytes : a.file < b.file;
  });
  return sizes;
}

results::Case oversized_goldens_results(const GoldenSizes& sizes) {
  const std::string sentence = fmt::format(
      "the goldens take {} in {} file{}, more than the limit of {}; the largest are {}; store fewer arms "
      "([golden] arms) or a smaller model, or raise --max-total-size",
      format_bytes(sizes.bytes()), sizes.files.size(), sizes.files.size() == 1 ? "" : "s",
      format_bytes(sizes.limit), describe_largest(sizes));
  results::Check check =
      golden_finding("size of goldens:1", "total size", compare::Verdict::different, sentence);
  check.relation = "bounded";
  check.because = "every clone downloads all goldens, and nobody reviews files that are too large";
  check.measured = {{"bytes", sizes.bytes()}, {"files", sizes.files.size()}};
  check.limit = {{"bytes", sizes.limit}};
  check.finding.next = "parity golden verify --max-total-size SIZE";
  return suite_failure("size of goldens", "Size of the goldens", "Do the goldens stay small enough to keep?",
                       sentence, {check});
}

}  // namespace parity::suite
