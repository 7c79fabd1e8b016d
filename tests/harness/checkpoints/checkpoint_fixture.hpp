// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "harness/checkpoints/comparison.hpp"
#include "harness/checkpoints/files/open_checkpoint.hpp"
#include "harness/checkpoints/files/safetensors.hpp"
#include "tests/support/scratch.hpp"
#include "tests/support/sentences.hpp"

namespace parity::checkpoints {

/// A float32 tensor in memory.
struct Weight {
  Shape shape;
  std::vector<float> values;
};

using Weights = std::map<std::string, Weight>;

/// Returns a tensor of different values.
Weight drawn(const Shape& shape, unsigned seed);
Weight constant(const Shape& shape, float value);
Weight transposed(const Weight& matrix);
/// Returns the rows of heads in pairs, from halves.
Weight in_pairs(const Weight& matrix, int64_t head);
/// Returns rows [first, first + count).
Weight rows(const Weight& matrix, int64_t first, int64_t count);
Weight concatenated(const std::vector<Weight>& parts);
/// Returns the tensors as one, with a new first dimension.
Weight stacked(const std::vector<Weight>& parts);

/// Returns a Llama of two blocks under Hugging Face's names: 4 heads of 8, 2 key heads, norms of ones.
Weights llama();
/// Returns the same under torchtitan's names, with q and k in pairs.
Weights titan_llama();
/// Returns the same under Megatron's names: q, k, v by key head, gate and up in one.
Weights megatron_llama();

/// Moves a tensor to another name.
void move(Weights& weights, const std::string& from, const std::string& to);

class CheckpointTest : public FolderTest {
 protected:
  /// Writes a safetensors file. \param dtype  float32, or bfloat16 or float16, to which values are rounded
  std::string write(const std::string& name, const Weights& weights, DType dtype = DType::float32) const;
  CheckpointDifference compare(const Weights& expected, const Weights& actual,
                               const ComparisonOptions& options = {}) const;
  /// Compares weights with the same in a narrower dtype.
  CheckpointDifference compare_rounded(const Weights& weights, DType narrow) const;
  /// Returns the finding of a tensor of the expected side.
  static const Finding& finding(const CheckpointDifference& difference, const std::string& name);
};

}  // namespace parity::checkpoints
