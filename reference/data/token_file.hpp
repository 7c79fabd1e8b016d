// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "reference/data/rows.hpp"

namespace parity::reference {

/// Token files are written by hand, in TOML. formats/ reads those that hold one stream of tokens.
///
///     [[rows]]                        # whole sequences of data.seq_len tokens, for data.packing = "none"
///     tokens    = [256, 104, 105]
///     positions = [4, 5, 0]           # else 0, 1, 2, ...
///     labels    = [104, -100, 7]      # else the token after each, and -100 at the end
///
///     [[documents]]                   # for packing; two tokens or more, with EOS where one is meant
///     tokens = [256, 104, 105, 257]
///
/// Reads the rows of a token file.
/// \throws UserError "FILE:LINE: ..." for a missing, empty or malformed file, non-UTF-8, or an unknown key.
/// Also for a token beyond the vocabulary, a position beyond the RoPE table, or a row whose labels are all
/// ignored. Also for a row whose length is not data.seq_len, or whose positions or labels have another length
std::vector<Row> read_token_rows(const DataConfig& data, const DataLimits& limits);

/// Reads the documents of a token file. \throws UserError as above, and for a document of one token
std::vector<std::vector<int64_t>> read_token_documents(const DataConfig& data, const DataLimits& limits);

}  // namespace parity::reference
