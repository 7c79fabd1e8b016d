// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/results/pictures/tensors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "harness/base/error.hpp"
#include "harness/compare/text/wording.hpp"
#include "harness/measure/lanes/widen.hpp"
#include "harness/suite/results/pictures/curves.hpp"

namespace parity::suite {
namespace {

constexpr int64_t most_rows = 48;  // rows of cells
constexpr int64_t most_columns = 64;
constexpr size_t most_pictures = 4;  // for each case

/// Returns the first index of each of at most `most` nearly equal ranges of `size` elements.
std::vector<int64_t> starts(int64_t size, int64_t most) {
  const int64_t parts = std::min(size, most);
  std::vector<int64_t> first;
  for (int64_t part = 0; part < parts; ++part)
    first.push_back(part * size / parts);
  return first;
}

/// Returns |a - e|; 0 for equal infinities, NaN if there is no distance.
double distance(double e, double a) {
  if (e == a || (std::isnan(e) && std::isnan(a)))
    return 0;
  return std::isfinite(e) && std::isfinite(a) ? std::abs(a - e) : std::numeric_limits<double>::quiet_NaN();
}

/// Raises a cell to a value if that is larger. NaN counts as the largest.
void raise(double& cell, double value) {
  if (std::isnan(value) || value > cell)
    cell = value;
}

/// Converts a row of the tensor to doubles.
void widen_row(const TensorView& tensor, int64_t row, std::vector<double>& values) {
  const size_t offset = static_cast<size_t>(row) * values.size() * size_of(tensor.dtype);
  measure::widen_block(tensor.dtype, static_cast<const std::byte*>(tensor.data) + offset, values.size(),
                       values.data());
}

void fill_cells(results::TensorPicture& picture, const TensorView& e, const TensorView& a) {
  const auto columns = static_cast<size_t>(picture.columns);
  std::vector<double> left(columns), right(columns);
  size_t cell_row = 0;
  for (int64_t row = 0; row < picture.rows; ++row) {
    while (cell_row + 1 < picture.row_starts.size() && picture.row_starts[cell_row + 1] <= row)
      ++cell_row;
    widen_row(e, row, left);
    widen_row(a, row, right);
    std::vector<double>& cells = picture.cells[cell_row];
    for (size_t cell = 0; cell < cells.size(); ++cell) {
      const auto first = static_cast<size_t>(picture.column_starts[cell]);
      const auto last =
          cell + 1 < cells.size() ? static_cast<size_t>(picture.column_starts[cell + 1]) : columns;
      for (size_t column = first; column < last; ++column)
        raise(cells[cell], distance(left[column], right[column]));
    }
  }
}

results::TensorPicture picture_of_key(const trace::TensorKey& key, const Shape& shape) {
  results::TensorPicture picture;
  picture.step = key.step;
  picture.phase = name_of(key.phase);
  picture.tensor = key.name;
  picture.shape = shape;
  return picture;
}

results::TensorPicture whole_picture(const trace::TensorKey& key, const TensorView& e, const TensorView& a) {
  results::TensorPicture picture = picture_of_key(key, e.shape);
  picture.columns = e.shape.empty() ? 1 : e.shape.back();
  picture.rows = picture.columns == 0 ? 0 : e.size() / picture.columns;
  picture.row_starts = starts(picture.rows, most_rows);
  picture.column_starts = starts(picture.columns, most_columns);
  picture.cells.assign(picture.row_starts.size(), std::vector<double>(picture.column_starts.size(), 0.0));
  fill_cells(picture, e, a);
  return picture;
}

/// Returns the picture of block sums. Block b of K begins at element ceil(b n / K). Source: METRICS.md M16.
results::TensorPicture block_picture(const trace::SketchRow& e, const trace::SketchRow& a) {
  results::TensorPicture picture = picture_of_key(a.key, e.shape);
  picture.estimated = true;
  picture.rows = 1;
  picture.columns = element_count(e.shape);
  picture.row_starts = {0};
  const auto blocks = static_cast<int64_t>(e.values.size());
  std::vector<double>& cells = picture.cells.emplace_back();
  for (int64_t block = 0; block < blocks; ++block) {
    const int64_t first = (block * picture.columns + blocks - 1) / blocks;
    const int64_t next = ((block + 1) * picture.columns + blocks - 1) / blocks;
    if (first == next)
      continue;  // fewer elements than blocks
    picture.column_starts.push_back(first);
    cells.push_back(distance(e.values[static_cast<size_t>(block)], a.values[static_cast<size_t>(block)]));
  }
  return picture;
}

bool shows_something(const results::TensorPicture& picture) {
  return std::any_of(picture.cells.begin(), picture.cells.end(), [](const auto& row) {
    return std::any_of(row.begin(), row.end(), [](double cell) { return cell != 0; });
  });
}

std::optional<trace::SketchRow> stored_sketch(const golden::GoldenContent& golden, const std::string& arm,
                                              const trace::TensorKey& key) {
  const auto found = golden.find(arm);
  if (found == golden.end())
    return std::nullopt;
  for (const trace::SketchRow& row : found->second.sketches)
    if (row.key == key)
      return row;
  return std::nullopt;
}

/// Returns the step of a claim's first arm that is compared with `step` of the second.
int64_t expected_step(const compare::Check& claim, int64_t step) {
  switch (claim.relation) {
    case compare::Relation::lagged:
      return step - claim.lag;
    case compare::Relation::unchanged:
      return step - 1;
    default:
      return step;
  }
}

std::optional<results::TensorPicture> picture_of_check(const JudgedCheck& judged, const Evidence& evidence,
                                                       const golden::GoldenContent& golden) {
  const compare::Check& claim = judged.claim;
  const compare::WorstPlace& worst = *judged.result.worst;
  const trace::Trace* actual =
      evidence.arms().contains(claim.arms.back()) ? evidence.trace(claim.arms.back()) : nullptr;
  const bool against_golden = judged.kind == results::CheckKind::golden;
  if (!actual || (!against_golden && !claim.of_tensors()))
    return std::nullopt;
  trace::TensorKey key{worst.step, claim.phase, worst.quantity};
  if (against_golden) {
    if (judged.quantity != name_of(trace::Phase::grad) && judged.quantity != name_of(trace::Phase::param))
      return std::nullopt;  // a channel
    key.phase = parse_enum<trace::Phase>(judged.quantity);
    const std::optional<trace::SketchRow> stored = stored_sketch(golden, claim.arms.back(), key);
    return stored ? picture_of({key, &*stored, nullptr}, compare::tensor_source(*actual, key)) : std::nullopt;
  }
  trace::TensorKey before = key;
  before.step = expected_step(claim, key.step);
  const trace::Trace* expected = evidence.trace(claim.arms.front());
  return expected
             ? picture_of(compare::tensor_source(*expected, before), compare::tensor_source(*actual, key))
             : std::nullopt;
}

}  // namespace

std::optional<results::TensorPicture> picture_of(const compare::TensorSource& expected,
                                                 const compare::TensorSource& actual) {
  std::optional<results::TensorPicture> picture;
  if (expected.whole() && actual.whole()) {
    const TensorView e = expected.trace->tensor(expected.key);
    const TensorView a = actual.trace->tensor(actual.key);
    if (e.shape == a.shape && e.size() > 0)
      picture = whole_picture(actual.key, e, a);
  } else if (expected.sketch && actual.sketch && expected.sketch->shape == actual.sketch->shape &&
             expected.sketch->values.size() == actual.sketch->values.size()) {
    picture = block_picture(*expected.sketch, *actual.sketch);
  }
  return picture && shows_something(*picture) ? picture : std::nullopt;
}

std::map<size_t, results::TensorPicture> tensor_pictures(const std::vector<JudgedCheck>& judged,
                                                         const Evidence& evidence,
                                                         const golden::GoldenContent& golden) {
  std::map<size_t, results::TensorPicture> pictures;
  for (const bool passed : {false, true})
    for (size_t i = 0; i < judged.size() && pictures.size() < most_pictures; ++i) {
      const compare::CheckResult& result = judged[i].result;
      const bool wanted =
          result.passed == passed && (!passed || result.verdict == compare::Verdict::rounding);
      if (!wanted || !result.worst || judged[i].claim.arms.empty())
        continue;
      try {
        if (auto picture = picture_of_check(judged[i], evidence, golden))
          pictures[i] = std::move(*picture);
      } catch (const UserError&) {
        continue;  // an unreadable shard, which the check reports
      }
    }
  return pictures;
}

}  // namespace parity::suite
