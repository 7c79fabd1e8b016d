// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/options/complete.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "harness/base/enum_names.hpp"
#include "harness/cli/options/shell.hpp"
#include "harness/cli/options/trainer.hpp"
#include "harness/compare/checks/condition.hpp"
#include "harness/golden/golden.hpp"
#include "harness/laws/laws.hpp"
#include "harness/suite/cases/config_schema.hpp"
#include "harness/suite/cases/find_cases.hpp"
#include "harness/suite/cases/read/file.hpp"
#include "harness/suite/judge/standing_evidence.hpp"
#include "harness/trace/format/fault.hpp"
#include "harness/trace/format/phase.hpp"

namespace parity::cli {
namespace fs = std::filesystem;
namespace {

using Paths = Completion::Paths;
using Words = std::vector<std::string>;

/// Returns the value of an option on this line, or its default.
std::string value_on_line(const Words& words, const std::string& option, const std::string& fallback) {
  for (size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] == option)
      return words[i + 1];
    if (words[i].starts_with(option + "="))
      return words[i].substr(option.size() + 1);
  }
  return fallback;
}

std::vector<suite::Case> cases_on_line(const Words& words) {
  std::vector<suite::Case> cases;
  for (const fs::path& file : suite::find_case_files({}, value_on_line(words, "--cases", "cases"))) {
    try {
      cases.push_back(suite::read_case(file));
    } catch (const UserError&) {
      continue;  // an invalid case must not hide the others
    }
  }
  return cases;
}

template <class E>
void add_enum(Completion& to) {
  for (const std::string& name : names_of<E>())
    to.candidates.push_back({name, ""});
}

void add_cases(Completion& to, const Words& words) {
  to.paths = Paths::files;
  for (const suite::Case& item : cases_on_line(words))
    to.candidates.push_back({item.name, item.title});
}

void add_arms(Completion& to, const Words& words) {
  to.paths = Paths::files;
  for (const suite::Case& item : cases_on_line(words))
    for (const suite::Arm& arm : item.arms)
      to.candidates.push_back({item.name + ":" + arm.name, item.title});
}

void add_tags(Completion& to, const Words& words) {
  std::set<std::string> tags;
  for (const suite::Case& item : cases_on_line(words))
    tags.insert(item.tags.begin(), item.tags.end());
  for (const std::string& tag : tags)
    to.candidates.push_back({tag, ""});
}

/// Returns the values of a key in the schema, or else its default.
std::vector<std::string> values_of(const suite::ConfigSchema::Key& key) {
  if (key.type == "boolean")
    return {"false", "true"};
  std::vector<std::string> values;
  for (const Json& value : key.values.empty() ? std::vector<Json>{key.default_value} : key.values)
    values.push_back(value.is_string() ? value.get<std::string>() : value.dump());
  return values;
}

/// Adds the keys of the trainer as "KEY=", after "ARM:" if the word has one, or the values of a key after
/// "KEY=".
void add_settings(Completion& to, const Words& words) {
  const std::string& word = words.back();
  const size_t colon = word.find(':');
  const std::string arm = colon == std::string::npos ? "" : word.substr(0, colon + 1);
  const suite::ConfigSchema schema = trainer_schema(value_on_line(words, "--trainer", ""));
  for (const auto& [key, entry] : schema.keys()) {
    const std::string start = arm + key + "=";
    if (word.starts_with(start))
      for (const std::string& value : values_of(entry))
        to.candidates.push_back({start + value, entry.doc});
    else
      to.candidates.push_back({start, entry.type});
  }
  std::set<std::string> arms;
  for (const suite::Case& item : cases_on_line(words))
    for (const suite::Arm& each : item.arms)
      arms.insert(each.name + ":");
  for (const std::string& each : arms)
    to.candidates.push_back({each, "only this arm"});
}

void add_channels(Completion& to, const Words& words) {
  const suite::ConfigSchema schema = trainer_schema(value_on_line(words, "--trainer", ""));
  for (const std::string& channel : schema.channels())
    to.candidates.push_back({channel, ""});
}

void add_keys(Completion& to, const Words& words) {
  const suite::ConfigSchema schema = trainer_schema(value_on_line(words, "--trainer", ""));
  for (const auto& [key, entry] : schema.keys())
    to.candidates.push_back({key, entry.doc});
}

/// Adds the kinds of faults after those that the word already has.
void add_fault_kinds(Completion& to, const Words& words) {
  const std::string& word = words.back();
  const std::string before = word.substr(0, word.rfind(',') + 1);
  for (const trace::FaultKindRow& row : trace::fault_kinds())
    to.candidates.push_back({before + std::string(name_of(row.kind)), std::string(row.summary)});
}

/// Adds the names of the cases' arms.
void add_arm_names(Completion& to, const Words& words) {
  std::set<std::string> names;
  for (const suite::Case& item : cases_on_line(words))
    for (const suite::Arm& arm : item.arms)
      names.insert(arm.name);
  for (const std::string& name : names)
    to.candidates.push_back({name, ""});
}

void add_laws(Completion& to, const Words& /*words*/) {
  for (const laws::Law& law : laws::all_laws())
    to.candidates.push_back({std::string(law.name), std::string(law.question)});
}

/// The values that the type name of an option or argument denotes.
struct Values {
  std::string_view name;
  void (*add)(Completion& to, const Words& words);
};
constexpr std::array<Values, 24> value_table = {{
    {"CASE", add_cases},
    {"CASE:ARM", add_arms},
    {"REV|CASE|GOLDEN", add_cases},
    {"EXPECTED", add_arms},
    {"ACTUAL", add_arms},
    {"TRACE", add_arms},
    {"TARGET", add_arms},
    {"CONDITION", [](Completion& to, const Words&) { add_enum<compare::Condition>(to); }},
    {"LAW", add_laws},
    {"GOOD_ARM", add_arms},
    {"BAD_ARM", add_arms},
    {"TAG", add_tags},
    {"ARM", add_arm_names},
    {"KIND,...", add_fault_kinds},
    {"CHANNEL", add_channels},
    {"KEY", add_keys},
    {"[ARM:]KEY=VALUE", add_settings},
    {"MODE", [](Completion& to, const Words&) { add_enum<golden::GoldenMode>(to); }},
    {"DRIFT", [](Completion& to, const Words&) { add_enum<golden::DriftMode>(to); }},
    {"EVIDENCE", [](Completion& to, const Words&) { add_enum<suite::EvidenceMode>(to); }},
    {"PHASE", [](Completion& to, const Words&) { add_enum<trace::Phase>(to); }},
    {"SHELL", [](Completion& to, const Words&) { add_enum<Shell>(to); }},
    {"DIR", [](Completion& to, const Words&) { to.paths = Paths::folders; }},
    {"PATH", [](Completion& to, const Words&) { to.paths = Paths::files; }},
}};

void add_values(Completion& to, const std::string& name, const Words& words) {
  for (const Values& values : value_table)
    if (values.name == name)
      values.add(to, words);
}

bool takes_value(const CLI::Option& option) {
  return option.get_items_expected_max() > 0;
}

const CLI::App* verb_called(const CLI::App& app, const std::string& name) {
  const auto found = app.get_subcommands([&](const CLI::App* verb) { return verb->get_name() == name; });
  return found.empty() ? nullptr : found.front();
}

/// The position at the end of a command line.
struct Place {
  const CLI::App* verb;
  const CLI::Option* pending = nullptr;  ///< an option whose value comes next
  size_t arguments = 0;                  ///< number given so far
};

Place walk(const CLI::App& app, const Words& words) {
  Place place{&app};
  for (size_t i = 0; i + 1 < words.size(); ++i) {
    const std::string& word = words[i];
    if (place.pending) {
      place.pending = nullptr;
      continue;
    }
    if (word.starts_with("-")) {
      const CLI::Option* option =
          word.find('=') == std::string::npos ? place.verb->get_option_no_throw(word) : nullptr;
      place.pending = option && takes_value(*option) ? option : nullptr;
    } else if (const CLI::App* verb = place.arguments == 0 ? verb_called(*place.verb, word) : nullptr) {
      place.verb = verb;
    } else {
      ++place.arguments;
    }
  }
  return place;
}

void add_options(Completion& to, const CLI::App& verb) {
  for (const CLI::Option* option : verb.get_options())
    for (const std::string& name : option->get_lnames())
      to.candidates.push_back({"--" + name, option->get_description()});
}

/// Adds candidates for the next argument. The last argument may repeat.
void add_argument(Completion& to, const Place& place, const Words& words) {
  std::vector<const CLI::Option*> arguments;
  for (const CLI::Option* option : place.verb->get_options())
    if (option->get_positional())
      arguments.push_back(option);
  if (arguments.empty())
    return;
  const CLI::Option& next = *arguments[std::min(place.arguments, arguments.size() - 1)];
  if (place.arguments < arguments.size() || next.get_items_expected_max() > 1)
    add_values(to, next.get_name(true), words);
}

void keep_beginning_with(std::vector<Completion::Candidate>& candidates, const std::string& word) {
  std::erase_if(candidates, [&](const auto& candidate) { return !candidate.text.starts_with(word); });
}

Completion candidates_of(const CLI::App& app, const Words& words) {
  Completion found;
  const Place place = walk(app, words);
  const std::string& word = words.back();
  const size_t equals = word.find('=');
  if (place.pending) {
    add_values(found, place.pending->get_type_name(), words);
  } else if (word.starts_with("--") && equals != std::string::npos) {
    const CLI::Option* option = place.verb->get_option_no_throw(word.substr(0, equals));
    Words valued = words;
    valued.back() = word.substr(equals + 1);
    if (option)
      add_values(found, option->get_type_name(), valued);
    for (Completion::Candidate& candidate : found.candidates)
      candidate.text = word.substr(0, equals + 1) + candidate.text;
  } else if (word.starts_with("-")) {
    add_options(found, *place.verb);
  } else {
    if (place.arguments == 0)
      for (const CLI::App* verb : place.verb->get_subcommands([](const CLI::App*) { return true; }))
        found.candidates.push_back({verb->get_name(), verb->get_description()});
    add_argument(found, place, words);
  }
  keep_beginning_with(found.candidates, word);
  return found;
}

}  // namespace

Completion complete(const CLI::App& app, const Words& words) {
  try {
    return candidates_of(app, words.empty() ? Words{""} : words);
  } catch (const std::exception&) {
    return {};
  }
}

void print_completion(const Completion& completion) {
  for (const Completion::Candidate& candidate : completion.candidates)
    fmt::print("{}\t{}\n", candidate.text, candidate.description.substr(0, candidate.description.find('\n')));
  if (completion.paths != Paths::none)
    fmt::print("{}\n", completion.paths == Paths::files ? ":files" : ":folders");
}

}  // namespace parity::cli
