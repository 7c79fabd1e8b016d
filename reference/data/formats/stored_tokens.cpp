// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/data/formats/stored_tokens.hpp"

#include <filesystem>
#include <string>

#include "harness/base/error.hpp"
#include "harness/base/files/data_names.hpp"
#include "reference/data/data_file.hpp"
#include "reference/data/formats/binary_tokens.hpp"
#include "reference/data/formats/json_lines.hpp"
#include "reference/data/formats/megatron_index.hpp"
#include "reference/data/formats/parquet_tokens.hpp"
#include "reference/data/npy.hpp"

namespace parity::reference {
namespace {

StoredTokens read_format(const DataConfig& data) {
  switch (format_of(data)) {
    case TokenFormat::npy:
      return {read_npy_integers(data.path), {}};
    case TokenFormat::nanogpt:
      return {read_nanogpt_tokens(data.path), {}};
    case TokenFormat::llmc:
      return {read_llmc_tokens(data.path), {}};
    case TokenFormat::megatron:
      return read_megatron_tokens(data.path);
    case TokenFormat::parquet:
      return read_parquet_tokens(data.path, data.column);
    case TokenFormat::jsonl:
      return read_json_lines_tokens(data.path, data.column);
    case TokenFormat::by_name:
    case TokenFormat::toml:
      break;
  }
  throw InternalError("a TOML file is not one stream");
}

void check_vocabulary(const StoredTokens& stored, const std::string& path, int64_t vocab_size) {
  for (size_t i = 0; i < stored.tokens.size(); ++i) {
    const std::string token =
        path + ": token " + std::to_string(stored.tokens[i]) + " at offset " + std::to_string(i);
    if (stored.tokens[i] < 0)
      throw UserError(token + " is negative (a token is a row of the embedding); write the file again");
    if (stored.tokens[i] >= vocab_size)
      throw UserError(token + " is beyond the vocabulary of " + std::to_string(vocab_size) +
                      " (the embedding has no row for it); raise architecture.vocab_size");
  }
}

/// Returns the ends of documents that a mark ends, or begins.
std::vector<size_t> ends_by_mark(const std::vector<int64_t>& tokens, int64_t mark, bool begins) {
  std::vector<size_t> ends;
  for (size_t i = 0; i < tokens.size(); ++i)
    if (const size_t end = begins ? i : i + 1; tokens[i] == mark && end > 0 && end < tokens.size())
      ends.push_back(end);
  ends.push_back(tokens.size());
  return ends;
}

}  // namespace

TokenFormat format_of(const DataConfig& data) {
  if (data.format != TokenFormat::by_name)
    return data.format;
  const std::filesystem::path name = std::filesystem::path(data.path).extension();
  if (name == ".bin")
    throw UserError("data.path: cannot tell the format of " + data.path +
                    " (nanoGPT, llm.c and Megatron write .bin files); set data.format to nanogpt or llmc, or "
                    "name Megatron's .idx file");
  if (name == ".npy")
    return TokenFormat::npy;
  if (is_parquet_name(data.path))
    return TokenFormat::parquet;
  if (is_json_lines_name(data.path))
    return TokenFormat::jsonl;
  return name == ".idx" ? TokenFormat::megatron : TokenFormat::toml;
}

StoredTokens read_stored_tokens(const DataConfig& data, int64_t vocab_size) {
  require_data_file(data.path);
  StoredTokens stored = read_format(data);
  if (stored.tokens.empty())
    refuse_empty_data(data.path);
  check_vocabulary(stored, data.path, vocab_size);
  return stored;
}

std::vector<std::vector<int64_t>> read_stored_documents(const DataConfig& data, int64_t vocab_size) {
  StoredTokens stored = read_stored_tokens(data, vocab_size);
  const bool begins = format_of(data) == TokenFormat::llmc;
  if (stored.ends.empty())
    stored.ends = ends_by_mark(stored.tokens, data.eos_id, begins);
  std::vector<std::vector<int64_t>> documents;
  size_t begin = 0;
  for (const size_t end : stored.ends) {
    if (end - begin < 2)
      throw UserError(data.path + ": document " + std::to_string(documents.size() + 1) + " has " +
                      (end == begin ? "no token" : "one token") +
                      " (an input needs a label); remove it, or the token between two EOS");
    documents.emplace_back(stored.tokens.begin() + static_cast<int64_t>(begin),
                           stored.tokens.begin() + static_cast<int64_t>(end));
    begin = end;
  }
  return documents;
}

}  // namespace parity::reference
