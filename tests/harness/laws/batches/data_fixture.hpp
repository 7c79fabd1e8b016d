// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/laws/laws.hpp"
#include "tests/harness/laws/law_fixture.hpp"

namespace parity::laws {

/// Invented batches of 4 rows of 8 tokens.
class DataLawTest : public LawTest {
 protected:
  using Row = std::vector<int64_t>;
  struct Update {
    Row tokens, labels, positions, documents;
    std::map<std::string, Row> read = {};  ///< what the model reads: by name, as "read/labels"
    double valid_tokens = 32;
  };

  static int64_t token(int64_t step, int64_t place) { return (step * 7919 + place * 104729) % 50021; }
  /// Returns lawful batches: labels are the next tokens, and positions count from 0.
  static std::vector<Update> lawful() {
    std::vector<Update> updates(4);
    for (int64_t s = 0; s < 4; ++s)
      for (int64_t row = 0; row < 4; ++row)
        for (int64_t t = 0; t < 8; ++t) {
          updates[s].tokens.push_back(token(s, 100 * row + t));
          updates[s].labels.push_back(token(s, 100 * row + t + 1));
          updates[s].positions.push_back(t);
        }
    return updates;
  }
  /// \param ranks  each of which reads an equal share of the rows
  Finding ask_batches(const std::vector<Update>& updates, int64_t ranks = 1,
                      const std::string& tokens = "tokens", const Json& config = Json::object()) {
    for (int64_t rank = ranks - 1; rank >= 0; --rank) {
      trace::Recorder::Options options{folder / "data" / "trace.h5", config, {}, {}};
      options.capture.tensors.push_back({});
      options.rank = rank;
      options.ranks = ranks;
      trace::Recorder recorder(std::move(options));
      const int64_t rows = 4 / ranks;
      for (size_t s = 0; s < updates.size(); ++s) {
        recorder.begin_step(static_cast<int64_t>(s) + 1);
        TensorLayout layout;
        if (ranks > 1)
          layout = {{4, 8}, {{"dp", rank, ranks, Shard{0, {{rank * rows, rank * rows + rows}}}}}};
        for (const auto& [name, list] : {std::pair(tokens, &updates[s].tokens),
                                         {"labels", &updates[s].labels},
                                         {"positions", &updates[s].positions}})
          recorder.tensor(Phase::input, name, {DType::int64, {rows, 8}, list->data() + rank * rows * 8},
                          nullptr, layout);
        if (!updates[s].documents.empty())
          recorder.tensor(Phase::input, "document_ids",
                          {DType::int64, {rows, 8}, updates[s].documents.data() + rank * rows * 8}, nullptr,
                          layout);
        for (const auto& [name, list] : updates[s].read)
          recorder.tensor(Phase::input, name, {DType::int64, {rows, 8}, list.data() + rank * rows * 8},
                          nullptr, layout);
        recorder.channel("valid_tokens", updates[s].valid_tokens);
        recorder.end_step();
      }
      recorder.finish();
    }
    const trace::Trace trace = trace::Trace::open(folder / "data");
    return ask_data(RecordedRun(trace));
  }
};

}  // namespace parity::laws
