// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/laws/batches/batch.hpp"
#include "harness/laws/run/recorded_run.hpp"

namespace parity::laws {

/// A token of an update: row and position in the row.
struct TokenPlace {
  int64_t row = 0, position = 0;
};

/// Why the result at one token must not depend on another token.
enum class Barrier {
  row,       ///< it is in another row
  later,     ///< the other token comes after it
  document,  ///< the other token is in another document of the row
  window,    ///< the other token is farther back than the layers' windows reach
  block,     ///< the other token is in another block of fixed size
};

/// Which tokens of a batch may reach which results, by the masks that a run's config names. A run whose
/// config names none has the causal mask, within the documents that it recorded, or else those that begin
/// where positions restart at 0.
class Visibility {
 public:
  Visibility(const RecordedRun& run, const Batch& batch);

  /// Returns what keeps the token `from` out of a result at `to`; nothing if it may reach it.
  /// \param layers  number of attention layers before the result; not set: all of them
  std::optional<Barrier> barrier(TokenPlace from, TokenPlace to, std::optional<int64_t> layers) const;
  int64_t window() const { return window_; }
  /// Returns what is known of documents, as text: how they were found, or why they are not distinguished.
  const std::string& note() const { return note_; }
  /// Returns how the config's rule contradicts the positions; "" if it does not.
  const std::string& conflict() const { return conflict_; }
  /// Returns which leaks between documents a change of this token cannot show, as text; "" if it shows all.
  std::string limit_of_probe(TokenPlace from) const;

 private:
  void find_documents(const RecordedRun& run, const Batch& batch);

  const Batch& batch_;
  std::vector<int64_t> documents_;  ///< of each token; empty: not distinguished
  int64_t window_ = 0;              ///< keys that a query attends to in each layer; 0: all before
  int64_t block_ = 0;               ///< tokens of a block that attention does not leave; 0: no blocks
  std::string note_, conflict_;
};

}  // namespace parity::laws
