// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "reference/data/corpus.hpp"

namespace parity::reference {

/// A noisy Markov chain that a language model can learn.
///
/// It uses K = min(vocab_size, 256) symbols, spread over the vocabulary. Of 8 tokens on average, 5 are the
/// first successor of the previous token. 2 follow from the two previous tokens, and 1 is any symbol. A model
/// first learns which symbols occur (from ln V to ln K), then which symbol follows which. Reserved tokens,
/// the marks of documents, are not among its symbols.
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
