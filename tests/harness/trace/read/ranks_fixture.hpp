// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tests/support/traces/recorded.hpp"

namespace parity::trace {

/// The shard of a tensor on one rank.
struct Held {
  std::vector<float> values;
  Shape shape;
  TensorLayout layout = {};
};

inline Placement along(const std::string& mesh, int64_t rank, std::variant<Replicate, Shard, Partial> kind) {
  return {mesh, rank, 2, std::move(kind)};
}

/// Traces of runs of two ranks.
class RanksTraceTest : public RecordedTest {
 protected:
  const TensorKey w{1, Phase::grad, "w"};

  Recorder::Options of_rank(int64_t rank, int64_t append_after = 0) const {
    Recorder::Options chosen = options();
    chosen.rank = rank;
    chosen.ranks = 2;
    chosen.append_after = append_after;
    return chosen;
  }

  static void record_step(Recorder& recorder, int64_t step, const Held& held, double loss = 1) {
    recorder.begin_step(step);
    recorder.channel("loss", loss);
    recorder.tensor(Phase::grad, "w", view_of(DType::float32, held.values, held.shape), nullptr, held.layout);
    recorder.end_step();
  }

  /// One step of both ranks.
  void record_both(const Held& zero, const Held& one) const {
    Recorder first(of_rank(0)), second(of_rank(1));
    record_step(first, 1, zero);
    record_step(second, 1, one);
    second.finish();
    first.finish();
  }

  /// Rows 0 and 1 of a 3 x 4 matrix on rank 0, row 2 on rank 1.
  static Held rows(int64_t rank) {
    const IndexRange range = rank == 0 ? IndexRange{0, 2} : IndexRange{2, 3};
    Held held{{}, {range.end - range.first, 4}, {{3, 4}, {along("dp_shard", rank, Shard{0, {range}})}}};
    for (int64_t i = range.first * 4; i < range.end * 4; ++i)
      held.values.push_back(matrix[static_cast<size_t>(i)]);
    return held;
  }
  static Held columns(int64_t rank) {
    Held held{{}, {3, 2}, {{3, 4}, {along("tp", rank, Shard{1, {{2 * rank, 2 * rank + 2}}})}}};
    for (int64_t row = 0; row < 3; ++row)
      for (int64_t column = 2 * rank; column < 2 * rank + 2; ++column)
        held.values.push_back(matrix[static_cast<size_t>(4 * row + column)]);
    return held;
  }

  inline static const std::vector<float> matrix = {1, -2, 3, 4, 0.5, 6, -7, 8, 9, 10, 11, -12};
};

}  // namespace parity::trace
