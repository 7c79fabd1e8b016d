// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/data/packing/packing.hpp"

#include "harness/base/error.hpp"
#include "reference/data/packing/positions.hpp"

namespace parity::reference {

std::vector<int64_t> PositionRule::positions(const std::vector<int64_t>& offsets) const {
  if (!restart)
    return whole_positions(offsets.size());
  std::vector<bool> starts;
  starts.reserve(offsets.size());
  for (const int64_t offset : offsets)
    starts.push_back(offset % context == 0);
  return document_positions(starts);
}

std::unique_ptr<Rows> make_packed_rows(const DataConfig& data, std::unique_ptr<Documents> documents) {
  const PositionRule rule{data.positions == PositionsChoice::document,
                          data.context_length > 0 ? data.context_length : data.seq_len};
  switch (data.packing) {
    case Packing::none:
      break;
    case Packing::stream:
      return std::make_unique<StreamRows>(std::move(documents), data.seq_len, rule);
    case Packing::concat_then_split:
      return std::make_unique<ConcatThenSplitRows>(std::move(documents), data.seq_len, rule);
    case Packing::first_fit:
      return std::make_unique<FirstFitRows>(std::move(documents), data.seq_len, data.global_batch, rule);
  }
  throw InternalError("documents without packing");
}

}  // namespace parity::reference
