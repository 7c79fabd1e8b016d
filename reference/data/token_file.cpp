// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/data/token_file.hpp"

#include <algorithm>

#include <toml++/toml.h>

#include "harness/base/error.hpp"
#include "reference/data/data_file.hpp"
#include "reference/data/packing/positions.hpp"

namespace parity::reference {
namespace {
namespace fs = std::filesystem;

/// A table of a token file. It reads its lists and knows its place in the file.
class Table {
 public:
  Table(const toml::table& table, std::string file, std::vector<std::string_view> known)
      : table_(table), file_(std::move(file)) {
    for (const auto& [key, node] : table_)
      if (std::find(known.begin(), known.end(), key.str()) == known.end())
        fail(node, "unknown key '" + std::string(key.str()) + "' (a token file has tokens, and rows also " +
                       "positions and labels); remove it");
  }

  bool has(std::string_view key) const { return table_.contains(key); }

  /// Returns a list of numbers in [low, high). \param what  names one of them
  std::vector<int64_t> numbers(std::string_view key, const std::string& what, int64_t low, int64_t high,
                               const std::string& why) const {
    const toml::node* node = table_.get(key);
    const toml::array* list = node != nullptr ? node->as_array() : nullptr;
    if (list == nullptr)
      fail(node != nullptr ? *node : table_,
           std::string(key) + " is not a list of whole numbers; write [1, 2, 3]");
    std::vector<int64_t> result;
    for (const toml::node& item : *list) {
      const auto number = item.value_exact<int64_t>();
      const std::string at = " at index " + std::to_string(result.size());
      if (!number)
        fail(item, std::string(key) + at + " is not a whole number; write [1, 2, 3]");
      const bool ignored = key == "labels" && *number == ignored_label;
      if (!ignored && (*number < low || *number >= high))
        fail(item, what + " " + std::to_string(*number) + at + " is " + why);
      result.push_back(*number);
    }
    return result;
  }

  std::vector<int64_t> tokens(std::string_view key, const std::string& what, int64_t vocab_size) const {
    return numbers(key, what, 0, vocab_size,
                   "beyond the vocabulary of " + std::to_string(vocab_size) +
                       " (the embedding has no row for it); raise architecture.vocab_size");
  }

  void check_length(std::string_view key, size_t found, size_t expected, const std::string& of) const {
    if (found != expected)
      fail(*table_.get(key), std::string(key) + " has " + std::to_string(found) + " numbers and " + of + " " +
                                 std::to_string(expected) + " (each token has one); make them equal");
  }

  [[noreturn]] void fail(const toml::node& node, const std::string& message) const {
    throw UserError(file_ + ":" + std::to_string(node.source().begin.line) + ": " + message);
  }
  [[noreturn]] void fail(const std::string& message) const { fail(table_, message); }

 private:
  const toml::table& table_;
  std::string file_;
};

toml::table parse(const fs::path& path) {
  const std::string text = read_utf8_data(path);
  try {
    return toml::parse(text, path.string());
  } catch (const toml::parse_error& error) {
    throw UserError(path.string() + ":" + std::to_string(error.source().begin.line) + ": " +
                    std::string(error.description()) + " (a token file is TOML, or ends in .npy); fix it");
  }
}

/// Returns the tables of [[name]]. \throws UserError if there are none, or if there are other tables
const toml::array& tables_of(const toml::table& file, const std::string& name, const fs::path& path,
                             const std::string& use) {
  for (const auto& [key, node] : file)
    if (key.str() != name)
      throw UserError(path.string() + ":" + std::to_string(node.source().begin.line) + ": '" +
                      std::string(key.str()) + "' is not used here (" + use + "); write [[" + name + "]]");
  const toml::node* node = file.get(name);
  if (node == nullptr || !node->is_array_of_tables())
    throw UserError(path.string() + ": there is no [[" + name + "]] (" + use + "); add one");
  return *node->as_array();
}

Row read_row(const Table& table, const DataConfig& data, const DataLimits& limits) {
  Row row;
  row.tokens = table.tokens("tokens", "token", limits.vocab_size);
  table.check_length("tokens", row.tokens.size(), static_cast<size_t>(data.seq_len), "data.seq_len is");
  if (table.has("positions")) {
    row.positions = table.numbers("positions", "position", 0, limits.positions,
                                  "beyond the RoPE table of " + std::to_string(limits.positions) +
                                      " rows; raise architecture.max_seq_len");
    table.check_length("positions", row.positions.size(), row.tokens.size(), "tokens has");
  } else {
    row.positions = whole_positions(row.tokens.size());
  }
  if (table.has("labels")) {
    row.labels = table.tokens("labels", "label", limits.vocab_size);
    table.check_length("labels", row.labels.size(), row.tokens.size(), "tokens has");
  } else {
    row.labels.assign(row.tokens.begin() + 1, row.tokens.end());
    row.labels.push_back(ignored_label);
  }
  return row;
}

}  // namespace

std::vector<Row> read_token_rows(const DataConfig& data, const DataLimits& limits) {
  const toml::table file = parse(data.path);
  std::vector<Row> rows;
  bool counts = false;
  for (const toml::node& node : tables_of(file, "rows", data.path, "data.packing is none")) {
    const Table table(*node.as_table(), data.path, {"tokens", "positions", "labels"});
    rows.push_back(read_row(table, data, limits));
    counts = counts || std::any_of(rows.back().labels.begin(), rows.back().labels.end(),
                                   [](int64_t label) { return label != ignored_label; });
  }
  if (!counts)
    throw UserError(data.path +
                    ": every label of every row is -100 (no label counts, so there is no loss); " +
                    "give some row a label");
  return rows;
}

std::vector<std::vector<int64_t>> read_token_documents(const DataConfig& data, const DataLimits& limits) {
  const toml::table file = parse(data.path);
  const std::string use = "data.packing is " + std::string(name_of(data.packing));
  std::vector<std::vector<int64_t>> documents;
  for (const toml::node& node : tables_of(file, "documents", data.path, use)) {
    const Table table(*node.as_table(), data.path, {"tokens"});
    documents.push_back(table.tokens("tokens", "token", limits.vocab_size));
    if (documents.back().size() < 2)
      table.fail("a document of " + std::to_string(documents.back().size()) +
                 " tokens (an input needs a label); give two or more");
  }
  return documents;
}

}  // namespace parity::reference
