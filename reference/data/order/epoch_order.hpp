// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "reference/data/documents.hpp"
#include "reference/data/rows.hpp"

namespace parity::reference {

/// Returns 0 to count - 1 in the order that `numpy.random.RandomState(seed).shuffle` gives an array of them.
///
/// Fisher-Yates from the last place: place i swaps with a uniform one of 0 .. i, the low bits of 32 of the
/// Mersenne Twister, drawn again while they exceed i. Source: NumPy's mtrand (legacy), random_interval.
/// \throws UserError for more than 2^32 things
std::vector<int64_t> shuffled(int64_t count, uint32_t seed);

/// Another order of the same things in each pass (epoch): pass e has shuffled(count, seed + e).
class EpochOrder {
 public:
  /// \param count  at least one
  EpochOrder(int64_t count, int64_t seed) : count_(count), seed_(seed) {}

  /// Returns which thing has place `index` of the endless sequence of passes. Cheap within a pass.
  int64_t at(int64_t index);

 private:
  int64_t count_;
  int64_t seed_;
  int64_t epoch_ = -1;  ///< of order_
  std::vector<int64_t> order_;
};

/// The documents of a list, in another order in each pass.
class ShuffledDocuments : public Documents {
 public:
  /// \param count  documents of the list
  ShuffledDocuments(std::unique_ptr<Documents> documents, int64_t count, int64_t seed)
      : documents_(std::move(documents)), order_(count, seed) {}

  std::vector<int64_t> document(int64_t index) const override {
    return documents_->document(order_.at(index));
  }
  std::string name_of(int64_t index) const override { return documents_->name_of(order_.at(index)); }

 private:
  std::unique_ptr<Documents> documents_;
  mutable EpochOrder order_;  ///< keeps the order of one pass
};

/// The first rows of a source, in another order in each pass.
class ShuffledRows : public Rows {
 public:
  /// \param count  rows of one pass
  ShuffledRows(std::unique_ptr<Rows> rows, int64_t count, int64_t seed)
      : rows_(std::move(rows)), order_(count, seed) {}

  Row row(int64_t index) override { return rows_->row(order_.at(index)); }
  bool positions_restart() const override { return rows_->positions_restart(); }

 private:
  std::unique_ptr<Rows> rows_;
  EpochOrder order_;
};

}  // namespace parity::reference
