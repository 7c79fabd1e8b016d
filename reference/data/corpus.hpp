// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "reference/config/run_config.hpp"

namespace parity::reference {

/// An endless supply of token sequences, addressed by number. Reading has no state, so a resumed run needs
/// only the number of its next sequence.
class Corpus {
 public:
  virtual ~Corpus() = default;

  /// Fills `out` with sequence `index`: S tokens and the one after them (S + 1 values; overlapping inputs
  /// and labels are cut from it).
  virtual void read(int64_t index, std::span<int64_t> out) const = 0;
  /// Returns the number of tokens after which it repeats; 0 if it does not.
  virtual int64_t size() const { return 0; }
};

/// Returns the corpus that a config names.
/// \throws UserError for a file that is missing, empty, not UTF-8, or beyond the vocabulary
std::unique_ptr<Corpus> make_corpus(const DataConfig& data, int64_t vocab_size);

}  // namespace parity::reference
