// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/data/rows.hpp"

#include "harness/base/error.hpp"
#include "reference/data/byte_tokenizer.hpp"
#include "reference/data/corpus.hpp"
#include "reference/data/documents.hpp"
#include "reference/data/packing/packing.hpp"
#include "reference/data/packing/positions.hpp"
#include "reference/data/token_file.hpp"

namespace parity::reference {
namespace {

/// A corpus cut into sequences. Neighbours overlap by one token, a label of the first and an input of the
/// second.
class CorpusRows : public Rows {
 public:
  CorpusRows(std::unique_ptr<Corpus> corpus, int64_t seq_len)
      : corpus_(std::move(corpus)), seq_len_(static_cast<size_t>(seq_len)) {}

  Row row(int64_t index) override {
    std::vector<int64_t> tokens(seq_len_ + 1);
    corpus_->read(index, tokens);
    return {
        {tokens.begin(), tokens.end() - 1}, {tokens.begin() + 1, tokens.end()}, whole_positions(seq_len_)};
  }

 private:
  std::unique_ptr<Corpus> corpus_;
  size_t seq_len_;
};

/// The rows of a token file, repeated without end.
class WrittenRows : public Rows {
 public:
  explicit WrittenRows(std::vector<Row> rows) : rows_(std::move(rows)) {
    for (const Row& row : rows_)
      restart_ = restart_ || row.positions != whole_positions(row.positions.size());
  }

  Row row(int64_t index) override { return rows_[static_cast<size_t>(index) % rows_.size()]; }
  bool positions_restart() const override { return restart_; }

 private:
  std::vector<Row> rows_;
  bool restart_ = false;
};

/// The rows of a run whose generator writes them. A caller that reads one here has a defect.
class NoRows : public Rows {
 public:
  Row row(int64_t /*index*/) override { throw InternalError("rollouts are not loaded"); }
};

}  // namespace

Row RowsInOrder::row(int64_t index) {
  if (index < next_index_) {
    rewind();
    next_index_ = 0;
  }
  for (; next_index_ < index; ++next_index_)
    next();
  ++next_index_;
  return next();
}

std::unique_ptr<Rows> make_rows(const DataConfig& data, const DataLimits& limits) {
  if (data.source == DataSource::rollouts)
    return std::make_unique<NoRows>();
  if (data.packing != Packing::none)
    return make_packed_rows(data, make_documents(data, limits));
  if (data.source == DataSource::tokens && !is_npy(data.path))
    return std::make_unique<WrittenRows>(read_token_rows(data, limits));
  return std::make_unique<CorpusRows>(make_corpus(data, limits.vocab_size), data.seq_len);
}

int64_t eos_id_of(const DataConfig& data) {
  return data.source == DataSource::text ? ByteTokenizer::end_of_text : data.eos_id;
}

}  // namespace parity::reference
