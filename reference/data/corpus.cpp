// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/data/corpus.hpp"

#include "reference/data/formats/stored_tokens.hpp"
#include "reference/data/synthetic_corpus.hpp"
#include "reference/data/text_corpus.hpp"
#include "reference/data/token_stream.hpp"

namespace parity::reference {

std::unique_ptr<Corpus> make_corpus(const DataConfig& data, int64_t vocab_size) {
  switch (data.source) {
    case DataSource::synthetic:
      return std::make_unique<SyntheticCorpus>(data.seed, vocab_size);
    case DataSource::text:
      return std::make_unique<TextCorpus>(data.path, data.column);
    case DataSource::tokens:
      return std::make_unique<TokenStream>(read_stored_tokens(data, vocab_size).tokens);
    case DataSource::rollouts:
      break;  // no corpus: rows.cpp
  }
  return nullptr;
}

}  // namespace parity::reference
