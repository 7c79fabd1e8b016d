// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "reference/data/corpus.hpp"

namespace parity::reference {

/// A noisy Markov chain that a language model can learn.
///
/// It speaks K = min(vocab_size, 256) symbols, spread over the vocabulary. Of 8 tokens on average 5 are the
/// first successor of the token before, 2 follow from the two tokens before, and 1 is any symbol. A model
/// first learns which symbols occur (from ln V to ln K), then what follows what. Reserved tokens, the marks
/// of documents, are none of its symbols.
class SyntheticCorpus : public Corpus {
 public:
  SyntheticCorpus(int64_t seed, int64_t vocab_size, const std::vector<int64_t>& reserved = {});

  void read(int64_t index, std::span<int64_t> out) const override;

 private:
  uint64_t seed_;
  std::vector<int64_t> symbols_;      ///< [K] token ids
  std::vector<uint64_t> successors_;  ///< [K] index of the symbol that mostly follows
};

}  // namespace parity::reference
