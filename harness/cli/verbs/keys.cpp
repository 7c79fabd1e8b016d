// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <memory>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/error.hpp"
#include "harness/base/json/json.hpp"
#include "harness/base/terminal/terminal.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/base/text/glob.hpp"
#include "harness/base/text/nearest.hpp"
#include "harness/base/text/table.hpp"
#include "harness/cli/options/trainer.hpp"
#include "harness/cli/verbs/verbs.hpp"
#include "harness/logs/channel_names.hpp"

namespace parity::cli {
namespace {

struct KeysOptions {
  std::vector<std::string> patterns;
  std::string trainer;
  bool json = false;
};

using Keys = std::map<std::string, suite::ConfigSchema::Key>;

/// Returns whether a name matches a glob or contains the pattern: "lr." matches lr.base, lr.decay, ...
bool matches(const std::string& pattern, const std::string& name) {
  const bool glob = pattern.find_first_of("*?") != std::string::npos;
  return glob ? glob_match(pattern, name) : name.find(pattern) != std::string::npos;
}

/// Returns the words of which the names of keys consist: "attention.backend" has attention and backend.
std::vector<std::string> words_of(const std::vector<std::string>& names) {
  std::set<std::string> words;
  for (const std::string& name : names)
    for (size_t at = 0; at < name.size();) {
      const size_t end = std::min(name.find_first_of("._", at), name.size());
      words.insert(name.substr(at, end - at));
      at = end + 1;
    }
  return {words.begin(), words.end()};
}

/// Returns a suggestion for a pattern that matches no key: the nearest key, or else the nearest word in keys.
std::string suggest_key(const std::string& pattern, const std::vector<std::string>& known) {
  const std::string word = nearest(pattern, known).empty() ? nearest(pattern, words_of(known)) : "";
  return word.empty() ? suggestion(pattern, known) : " (did you mean " + parity::quoted(word) + "?)";
}

Keys wanted_keys(const suite::ConfigSchema& schema, const std::vector<std::string>& patterns) {
  if (patterns.empty())
    return schema.keys();
  Keys wanted;
  for (const std::string& pattern : patterns) {
    const size_t before = wanted.size();
    std::vector<std::string> known;
    for (const auto& [name, key] : schema.keys()) {
      known.push_back(name);
      if (matches(pattern, name))
        wanted.emplace(name, key);
    }
    if (wanted.size() == before)
      throw UserError(fmt::format("no config key matches '{}'{}", pattern, suggest_key(pattern, known)));
  }
  return wanted;
}

Json key_json(const Keys& keys, const std::vector<std::string>& channels) {
  Json all = {{"schema", "parity.keys/1"}, {"keys", Json::object()}, {"channels", channels}};
  for (const auto& [name, key] : keys)
    all["keys"][name] = {
        {"type", key.type}, {"default", key.default_value}, {"values", key.values}, {"doc", key.doc}};
  return all;
}

/// Prints a key with its default in case file syntax, then its type, values and meaning.
void print_key(const std::string& name, const suite::ConfigSchema::Key& key, const Style& style) {
  std::string values;
  for (const Json& value : key.values)
    values += (values.empty() ? " of " : ", ") + value.dump();
  fmt::print("{} = {}  {}\n    {}\n", style.bold(name), key.default_value.dump(),
             style.faint(key.type + values), key.doc);
}

/// Prints the table of common names in logs.
ExitCode log_names(bool json) {
  Json all = {{"schema", "parity.keys/1"}, {"log_names", Json::array()}};
  std::vector<std::vector<std::string>> rows;
  for (const logs::ChannelName& row : logs::common_names()) {
    rows.push_back({std::string(row.name), std::string(row.channel), std::string(name_of(row.kind))});
    all["log_names"].push_back({{"name", row.name}, {"channel", row.channel}, {"kind", name_of(row.kind)}});
  }
  fmt::print("{}", json ? all.dump(1) + "\n" : text_table({"name in a log", "channel", "kind"}, rows));
  return ExitCode::agree;
}

ExitCode keys(const KeysOptions& options) {
  if (options.patterns == std::vector<std::string>{"channels"})
    return log_names(options.json);
  const suite::ConfigSchema schema = trainer_schema(options.trainer);
  const Keys wanted = wanted_keys(schema, options.patterns);
  if (options.json) {
    fmt::print("{}\n", key_json(wanted, schema.channels()).dump(1));
    return ExitCode::agree;
  }
  const Style style = Style::for_stream(stdout);
  for (const auto& [name, key] : wanted)
    print_key(name, key, style);
  if (options.patterns.empty())
    fmt::print("{}\n    {}\n", style.bold("channels"), fmt::join(schema.channels(), ", "));
  return ExitCode::agree;
}

}  // namespace

void add_keys(CLI::App& app, Action& action) {
  auto options = std::make_shared<KeysOptions>();
  app.add_option("KEY", options->patterns, "Names of keys, substrings of them, or globs (default: all)");
  add_trainer_option(app, options->trainer);
  app.add_flag("--json", options->json, "Print the keys as JSON");
  app.footer(
      "Examples:\n"
      "  parity keys                   every key with its default, and the channels\n"
      "  parity keys lr. clip          keys with one of these in the name\n"
      "  parity keys 'data.*' --json   as JSON\n"
      "  parity keys channels          common names in logs, and the channels that they become");
  app.callback([options, &action] { action = [options] { return keys(*options); }; });
}

}  // namespace parity::cli
