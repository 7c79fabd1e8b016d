// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "reference/data/token_stream.hpp"

namespace parity::reference {

/// Returns a UTF-8 file as one document. \throws UserError as read_utf8_data
std::vector<int64_t> read_text_document(const std::filesystem::path& path);

/// One UTF-8 file as one document, repeated without end. Sequence i begins at token i S of the stream.
class TextCorpus : public TokenStream {
 public:
  /// \throws UserError as read_text_document
  explicit TextCorpus(const std::filesystem::path& path) : TokenStream(read_text_document(path)) {}
};

}  // namespace parity::reference
