// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Random pairs of tiny trainings, of which is known whether they compute the same function.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <string>
#include <vector>

#include "harness/base/hash.hpp"
#include "reference/config/run_config.hpp"

namespace parity::reference {

/// A stream of numbers that is the same everywhere.
class Draws {
 public:
  explicit Draws(uint64_t seed) : state_(splitmix64(seed)) {}

  int64_t below(int64_t n) {
    state_ = splitmix64(state_);
    return static_cast<int64_t>(state_ % static_cast<uint64_t>(n));
  }
  bool once_in(int64_t n) { return below(n) == 0; }
  template <class Value>
  Value pick(std::initializer_list<Value> values) {
    return *std::next(values.begin(), below(static_cast<int64_t>(values.size())));
  }

 private:
  uint64_t state_;
};

/// A change of one element of one parameter before the first update.
enum class Touch {
  none,
  residue,    ///< another weight with the same value
  neighbour,  ///< the next float32
};

/// Two trainings.
struct RandomPair {
  RunConfig one;  ///< on one rank
  RunConfig other;
  std::string fault;          ///< of `other`; "" where both are the same function
  Touch touch = Touch::none;  ///< in `other`
};

/// Returns whether the trainer accepts a config.
bool is_valid(const RunConfig& config);

/// Draws a function: a model, its data, mask, loss and optimizer, on one rank.
RunConfig draw_function(Draws& draws);

/// Returns a config that computes the same function in another way. \param ranks  at most
RunConfig rearranged(const RunConfig& config, Draws& draws, int64_t ranks);

RandomPair draw_equal_pair(Draws& draws);
/// Draws a pair whose other side is rearranged and has one fault.
RandomPair draw_faulty_pair(Draws& draws);

/// Returns the settings in which a pair differs, and the model: "model llama3.debug; parallel.tp 1 | 2; ..."
std::string to_text(const RandomPair& pair);

}  // namespace parity::reference
