// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/laws/muon/matrix_blocks.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace parity::laws {
namespace {

std::vector<size_t> range(size_t first, size_t count) {
  std::vector<size_t> rows(count);
  std::iota(rows.begin(), rows.end(), first);
  return rows;
}

}  // namespace

MatrixBlocks::MatrixBlocks(const std::vector<int64_t>& shape) {
  if (shape.size() < 2 || shape.size() > 4)
    return;
  const auto count = shape.size() == 3 ? static_cast<size_t>(shape[0]) : 1;
  const auto each = static_cast<size_t>(shape.size() == 3 ? shape[1] : shape[0]);
  columns_ = shape.size() == 4 ? static_cast<size_t>(shape[1] * shape[2] * shape[3])
                               : static_cast<size_t>(shape.back());
  all_rows_ = count * each;
  if (all_rows_ > 0 && columns_ > 0)
    for (size_t i = 0; i < count; ++i)
      rows_.push_back(range(i * each, each));
}

MatrixBlocks MatrixBlocks::split(const FusedHeads& heads) const {
  MatrixBlocks result;
  const size_t group = (heads.sharing + 2) * heads.head_dim;
  if (rows_.size() != 1 || group == 0 || all_rows_ % group != 0)
    return result;
  result.columns_ = columns_;
  result.all_rows_ = all_rows_;
  result.rows_.resize(3);
  for (size_t row = 0; row < all_rows_; ++row) {
    const size_t head = row % group / heads.head_dim;
    result.rows_[head < heads.sharing ? 0 : head - heads.sharing + 1].push_back(row);
  }
  return result;
}

MatrixBlocks MatrixBlocks::thirds() const {
  MatrixBlocks result;
  if (rows_.size() != 1 || all_rows_ % 3 != 0)
    return result;
  result.columns_ = columns_;
  result.all_rows_ = all_rows_;
  for (size_t i = 0; i < 3; ++i)
    result.rows_.push_back(range(i * all_rows_ / 3, all_rows_ / 3));
  return result;
}

double MatrixBlocks::work() const {
  double most = 0;
  for (const auto& rows : rows_) {
    const auto a = static_cast<double>(rows.size()), b = static_cast<double>(columns_);
    most = std::max(most, a * b * std::min(a, b));
  }
  return most;
}

std::vector<double> MatrixBlocks::taken(const std::vector<double>& values,
                                        const std::vector<size_t>& rows) const {
  std::vector<double> block;
  block.reserve(rows.size() * columns_);
  for (const size_t row : rows)
    for (size_t j = 0; j < columns_; ++j)
      block.push_back(values[row * columns_ + j]);
  return block;
}

std::vector<double> MatrixBlocks::orthogonalized(const std::vector<double>& values, const NewtonSchulz& rule,
                                                 SchulzArithmetic arithmetic) const {
  std::vector<double> result(values.size());
  for (const auto& rows : rows_) {
    const std::vector<double> block =
        newton_schulz(taken(values, rows), rows.size(), columns_, rule, arithmetic);
    for (size_t i = 0; i < rows.size(); ++i)
      for (size_t j = 0; j < columns_; ++j)
        result[rows[i] * columns_ + j] = block[i * columns_ + j];
  }
  return result;
}

std::vector<double> MatrixBlocks::normalized(const std::vector<double>& values) const {
  return orthogonalized(values, {.steps = {}, .eps = 1e-300}, SchulzArithmetic::exact);
}

std::vector<double> MatrixBlocks::scaled(std::vector<double> values, MuonScale rule) const {
  for (const auto& rows : rows_) {
    const double factor = muon_scale(rule, rows.size(), columns_);
    for (const size_t row : rows)
      for (size_t j = 0; j < columns_; ++j)
        values[row * columns_ + j] *= factor;
  }
  return values;
}

}  // namespace parity::laws
