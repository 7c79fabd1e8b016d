// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <string>

#include "harness/base/files/data_names.hpp"
#include "reference/config/rules/rules.hpp"

namespace parity::reference {
namespace {

bool reads_file(const DataConfig& data) {
  return data.source == DataSource::text || data.source == DataSource::tokens;
}

void check_batches(const DataConfig& data, const Rules& rules) {
  rules.at_least(data.seq_len, 1, "data.seq_len");
  rules.at_least(data.global_batch, 1, "data.global_batch");
  rules.at_least(data.micro_batches, 1, "data.micro_batches");
  rules.rule(data.global_batch % data.micro_batches == 0, "data.micro_batches",
             "it does not divide data.global_batch = " + std::to_string(data.global_batch),
             "choose a divisor, since micro-batches have equal numbers of sequences");
  rules.within(data.ignore_fraction, 0, 0.5, "data.ignore_fraction");
}

bool has_documents_by_name(const std::string& path) {
  return is_parquet_name(path) || is_json_lines_name(path);
}

/// Returns whether each file that the run names satisfies a predicate.
bool all_files(const DataConfig& data, bool (*holds)(const std::string&)) {
  return data.paths.empty() ? holds(data.path) : std::ranges::all_of(data.paths, holds);
}

/// Returns whether one file at least is Parquet or JSON lines, by its name or by data.format.
bool reads_columns(const DataConfig& data) {
  const bool by_name = data.source == DataSource::text || data.format == TokenFormat::by_name;
  const bool named =
      has_documents_by_name(data.path) || std::ranges::any_of(data.paths, has_documents_by_name);
  const bool stated = data.format == TokenFormat::parquet || data.format == TokenFormat::jsonl;
  return reads_file(data) && (stated || (by_name && named));
}

void check_files(const DataConfig& data, const Rules& rules) {
  const std::string source(name_of(data.source));
  const std::string reads_none = "data.source is " + source + " and reads no file";
  rules.rule(!reads_file(data) || !data.path.empty() || !data.paths.empty(), "data.path",
             "data.source is " + source + " and needs a file",
             data.source == DataSource::text ? "name a UTF-8 file" : "name a token file");
  rules.rule(reads_file(data) || data.source == DataSource::rollouts || data.path.empty(), "data.path",
             reads_none, "set data.source = \"text\" or \"tokens\", or remove the path");
  rules.rule(reads_file(data) || data.paths.empty(), "data.paths", reads_none,
             "set data.source = \"text\" or \"tokens\", or remove the paths");
  rules.rule(data.path.empty() || data.paths.empty(), "data.paths", "data.path already names a file",
             "move it into data.paths, or remove one of the two keys");
  rules.used_or_default(data.source == DataSource::tokens, "data.format", "data.source = " + source,
                        "set data.source = \"tokens\"");
  rules.used_or_default(reads_columns(data), "data.column", "a run without a Parquet file or JSON lines",
                        "name a .parquet or .jsonl file of texts or tokens");
}

void check_blend(const DataConfig& data, const Rules& rules) {
  std::set<std::string> seen;
  for (const std::string& path : data.paths) {
    rules.rule(!path.empty(), "data.paths", "one of them is empty", "name a file");
    rules.rule(seen.insert(path).second, "data.paths", "a file is named twice, so its rows would repeat",
               "name it once, with the sum of its weights");
  }
  rules.rule(data.weights.size() == data.paths.size(), "data.weights",
             "data.paths has " + std::to_string(data.paths.size()) + " files", "give one weight for each");
  for (const double weight : data.weights)
    rules.rule(weight > 0 && std::isfinite(weight), "data.weights", "a weight is not a positive number",
               "give positive numbers, or remove the file");
  rules.rule(std::isfinite(std::accumulate(data.weights.begin(), data.weights.end(), 0.0)), "data.weights",
             "their sum is not finite", "give smaller numbers: only their ratios count");
}

void check_shuffle(const DataConfig& data, const Rules& rules) {
  rules.rule(!data.shuffle || reads_file(data), "data.shuffle",
             "data.source = " + std::string(name_of(data.source)) + " draws its rows and has no epochs",
             "set data.source = \"tokens\", or leave it false");
  const bool one_document = data.source == DataSource::text && !all_files(data, has_documents_by_name);
  rules.rule(!data.shuffle || !one_document || data.packing == Packing::none, "data.shuffle",
             "a text file is one document, which has one order",
             "set data.packing = \"none\", name a Parquet file or JSON lines, or leave it false");
  rules.rule(!data.shuffle || data.seed <= std::numeric_limits<uint32_t>::max(), "data.seed",
             "NumPy's RandomState takes 32 bits", "give less than 4294967296");
}

/// The documents of an llm.c file begin with the token that elsewhere ends them.
void check_boundaries(const RunConfig& config, const Rules& rules) {
  const auto& documents = config.attention.documents;
  const bool by_eos = std::find(documents.begin(), documents.end(), DocumentBoundary::eos) != documents.end();
  rules.rule(!by_eos || config.data.format != TokenFormat::llmc, "attention.documents",
             "documents of llm.c begin with data.eos_id, and eos would end them behind it",
             "use position_zero with data.positions = \"document\"");
}

}  // namespace

void check_data(const RunConfig& config, const Rules& rules) {
  check_batches(config.data, rules);
  check_files(config.data, rules);
  check_blend(config.data, rules);
  check_shuffle(config.data, rules);
  check_boundaries(config, rules);
}

}  // namespace parity::reference
