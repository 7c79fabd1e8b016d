// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/data/rows.hpp"

#include "harness/base/error.hpp"
#include "reference/data/byte_tokenizer.hpp"
#include "reference/data/corpus.hpp"
#include "reference/data/documents.hpp"
#include "reference/data/formats/stored_tokens.hpp"
#include "reference/data/order/blend.hpp"
#include "reference/data/order/epoch_order.hpp"
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
  int64_t count() const { return static_cast<int64_t>(rows_.size()); }

 private:
  std::vector<Row> rows_;
  bool restart_ = false;
};

/// The rows of a run whose generator writes them. A caller that reads one here has a defect.
class NoRows : public Rows {
 public:
  Row row(int64_t /*index*/) override { throw InternalError("rollouts are not loaded"); }
};

/// Returns the rows of a corpus in order, or those that lie in it whole in another order in each pass.
std::unique_ptr<Rows> rows_of_corpus(const DataConfig& data, int64_t vocab_size) {
  std::unique_ptr<Corpus> corpus = make_corpus(data, vocab_size);
  const int64_t tokens = corpus->size();
  auto rows = std::make_unique<CorpusRows>(std::move(corpus), data.seq_len);
  if (!data.shuffle)
    return rows;
  if (tokens <= data.seq_len)
    throw UserError("data.shuffle: " + data.path + " has " + std::to_string(tokens) +
                    " tokens (a sequence and its last label need " + std::to_string(data.seq_len + 1) +
                    "); name a longer file, or lower data.seq_len");
  return std::make_unique<ShuffledRows>(std::move(rows), (tokens - 1) / data.seq_len, data.seed);
}

std::unique_ptr<Rows> written_rows(const DataConfig& data, const DataLimits& limits) {
  auto rows = std::make_unique<WrittenRows>(read_token_rows(data, limits));
  if (!data.shuffle)
    return rows;
  const int64_t count = rows->count();
  return std::make_unique<ShuffledRows>(std::move(rows), count, data.seed);
}

/// \param data  names one file, or none
std::unique_ptr<Rows> rows_of_file(const DataConfig& data, const DataLimits& limits) {
  if (data.source == DataSource::rollouts)
    return std::make_unique<NoRows>();
  if (data.packing != Packing::none)
    return make_packed_rows(data, make_documents(data, limits));
  if (data.source == DataSource::tokens && format_of(data) == TokenFormat::toml)
    return written_rows(data, limits);
  return rows_of_corpus(data, limits.vocab_size);
}

}  // namespace

Row RowsInOrder::row(int64_t index) {
  if (index + 1 < next_index_) {
    rewind();
    next_index_ = 0;
  }
  for (; next_index_ <= index; ++next_index_)
    last_ = next();
  return last_;
}

std::vector<int64_t> Rows::rows_by_source(int64_t /*rows*/) const {
  return {};
}

std::vector<DataConfig> configs_of_files(const DataConfig& data) {
  std::vector<DataConfig> files;
  for (const std::string& path : data.paths) {
    files.push_back(data);
    files.back().path = path;
    files.back().paths.clear();
    files.back().weights.clear();
  }
  return files.empty() ? std::vector<DataConfig>{data} : files;
}

std::unique_ptr<Rows> make_rows(const DataConfig& data, const DataLimits& limits) {
  if (data.paths.empty())
    return rows_of_file(data, limits);
  std::vector<std::unique_ptr<Rows>> sources;
  for (const DataConfig& file : configs_of_files(data))
    sources.push_back(rows_of_file(file, limits));
  return std::make_unique<BlendedRows>(std::move(sources), data.weights);
}

int64_t eos_id_of(const DataConfig& data) {
  return data.source == DataSource::text ? ByteTokenizer::end_of_text : data.eos_id;
}

}  // namespace parity::reference
