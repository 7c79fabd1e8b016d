// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/options/sides.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/error.hpp"
#include "harness/base/processes/process.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/base/text/nearest.hpp"
#include "harness/suite/cases/config_schema.hpp"
#include "harness/suite/cases/named_case.hpp"
#include "harness/suite/cases/read/setting.hpp"
#include "harness/suite/cases/run_config_file.hpp"
#include "harness/suite/plan/command_words.hpp"
#include "harness/suite/plan/identity/input_paths.hpp"
#include "harness/suite/results/commands/bisect.hpp"

namespace parity::bisect {
namespace fs = std::filesystem;
namespace {

/// One side of a search: an arm with the settings of its case.
struct Side {
  suite::Arm arm;
  suite::Profile profile = suite::Profile::portable;
  double timeout_seconds = 300;
  std::optional<suite::Case> source;  ///< not set for a run config
  std::string file;                   ///< of a run config
  /// The command that runs it: its case, as the user named it, or the trainer with its config.
  std::vector<std::string> run_words = {};
};

bool is_file(const std::string& words) {
  std::error_code error;
  return fs::is_regular_file(words, error);
}

Side side_of_config(const std::string& file, suite::Overrides config) {
  Side side;
  side.file = file;
  side.run_words = {"parity-train", file};
  side.arm.name = fs::path(file).stem().string();
  side.arm.place = suite::Place{file, 0, 0};
  side.arm.config = std::move(config);
  return side;
}

/// Returns the side of an arm, with the keys of its case's base, and files by absolute paths.
Side side_of_arm(const suite::Case& source, const std::string& name) {
  Side side{source.arm(name), source.profile, source.timeout_seconds, source, ""};
  for (const auto& [key, value] : source.base)
    side.arm.config.try_emplace(key, value);
  const std::string folder = fs::absolute(source.file).parent_path().string();
  for (auto& [key, placed] : side.arm.config)
    if (suite::names_file(key) || suite::names_files(key))
      suite::expand_case_dir(placed.value, folder);
  return side;
}

std::string joined_arm_names(const suite::Case& source) {
  std::vector<std::string> names;
  for (const suite::Arm& arm : source.arms)
    names.push_back(arm.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

Side side_named(const suite::Case& source, const std::string& name) {
  require_arm(source, name);
  return side_of_arm(source, name);
}

Side parse_side(const std::string& words, const fs::path& root) {
  if (is_file(words))
    if (auto config = suite::read_run_config(words))
      return side_of_config(words, std::move(*config));
  const suite::ArmWords named(words);
  const suite::Case source = suite::named_case(named.source, root);
  Side side = side_named(source, named.arm.empty() ? source.reference : named.arm);
  side.run_words = {"parity", "run", named.source};
  if (root != "cases" && !is_file(named.source))
    side.run_words.insert(side.run_words.end(), {"--cases", root.string()});
  return side;
}

/// Returns the only other arm of the good side's case.
Side other_arm(const Side& good) {
  if (!good.source)
    throw UserError(fmt::format(
        "cannot search with one side ({} is a run config); name the bad run config after it", good.file));
  std::vector<std::string> others;
  for (const suite::Arm& arm : good.source->arms)
    if (arm.name != good.arm.name)
      others.push_back(arm.name);
  if (others.size() != 1)
    throw UserError(fmt::format(
        "cannot choose the bad arm (case {} has the arms {}); name it after the good one, as in {}:{} {}",
        good.source->name, joined_arm_names(*good.source), good.run_words.at(2), good.arm.name,
        others.empty() ? "ARM" : others.front()));
  return side_of_arm(*good.source, others.front());
}

Side bad_side(const std::string& words, const Side& good, const fs::path& root) {
  if (words.empty())
    return other_arm(good);
  const bool bare = words.find(':') == std::string::npos && !is_file(words);
  if (bare && good.source)
    return side_named(*good.source, words);
  return parse_side(words, root);
}

/// Fixes the places that a command names from its case's folder, so that it can run as an arm of another
/// case.
void fix_places(suite::Arm& arm, const fs::path& folder) {
  for (std::string& word : arm.command)
    suite::replace_all(word, "{case_dir}", folder.string());
  for (std::string& input : arm.inputs)
    input = (folder / input).string();
}

/// Returns the command that re-runs both arms and finds where they diverge.
std::string rerun_command(const Side& good, const Side& bad) {
  const auto words = [](const Side& side) {  // as the user named it, since a name alone finds only cases/
    return side.source ? side.run_words.at(2) + ":" + side.arm.name : side.file;
  };
  const bool is_arm_of_good = bad.source && bad.run_words.empty();
  return shell_quote({"parity", "bisect", words(good), is_arm_of_good ? bad.arm.name : words(bad)});
}

/// Returns the command that compares what the last runs of two arms recorded.
std::string traces_command(const Side& good, const Side& bad) {
  if (!good.source || !bad.source)
    return "parity bisect traces GOOD.h5 BAD.h5";
  return shell_quote({"parity", "bisect", "traces", good.source->name + ":" + good.arm.name,
                      bad.source->name + ":" + bad.arm.name});
}

/// Requires that the two sides can be used as a search needs them.
/// \throws UserError otherwise
void require_comparable(const Side& good, const Side& bad, SideUse use) {
  const bool switched = use == SideUse::switch_keys;
  const auto reason = switched ? suite::reason_not_switched : suite::reason_not_rerun;
  if (const std::string why = reason(good.arm, bad.arm); !why.empty()) {
    const bool runs_again = suite::reason_not_rerun(good.arm, bad.arm).empty();
    const std::string hint =
        good.arm.is_command() && bad.arm.is_command()
            ? ", or give both arms one command that reads {config}, and put what differs "
              "into keys of the arms"
            : "";
    throw UserError(why + "; find where " +
                    (runs_again ? "they diverge with: " + rerun_command(good, bad) + hint
                                : "their last runs diverge with: " + traces_command(good, bad)));
  }
  if (good.profile != bad.profile)
    throw UserError(
        fmt::format("cannot search between the profiles {} and {} (a profile is not a config key); give both "
                    "cases the same "
                    "profile",
                    name_of(good.profile), name_of(bad.profile)));
  if (good.source && bad.source && good.source->python.interpreter != bad.source->python.interpreter)
    throw UserError(
        fmt::format("cannot search between the environments {} and {} (an environment is not a config key); "
                    "give both cases one [python] venv",
                    good.source->python.interpreter.string(), bad.source->python.interpreter.string()));
}

void set_names(OptionSides& sides, const Side& good, const Side& bad) {
  suite::Arm& a = sides.sides.arms.at(0);
  suite::Arm& b = sides.sides.arms.at(1);
  const std::string of_good = good.source ? good.source->name : good.file;
  const std::string of_bad = bad.source ? bad.source->name : bad.file;
  const auto full = [](const Side& side) {
    return side.source ? side.source->name + ":" + side.arm.name : side.file;
  };
  const bool one_case = good.source && bad.source && of_good == of_bad;
  sides.sides.name = good.source ? of_good : fs::path(of_good).stem().string();
  sides.subject = one_case ? fmt::format("{}: {} (good) against {} (bad)", of_good, a.name, b.name)
                           : fmt::format("{} (good) against {} (bad)", full(good), full(bad));
  sides.name = fmt::format("{}:{} {}", sides.sides.name, a.name, b.name);
  sides.base_command = shell_quote(good.run_words);
  if (good.source)
    sides.set_option = a.name + ":";
  if (a.name == b.name) {
    a.name = "good";
    b.name = "bad";
  }
}

std::string setting_text(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

}  // namespace

std::string OptionSides::command_with(const std::vector<OptionToggle>& toggles, const Toggles& on) const {
  std::string command = base_command;
  for (const size_t i : on) {
    if (!toggles[i].bad)
      return "";
    command += " --set " + shell_quote({set_option + toggles[i].key + "=" + setting_text(*toggles[i].bad)});
  }
  return command;
}

OptionSides option_sides(const std::string& good, const std::string& bad, const fs::path& root,
                         const std::vector<std::string>& settings, SideUse use) {
  const Side a = parse_side(good, root);
  Side b = bad_side(bad, a, root);
  require_comparable(a, b, use);
  if (b.source && a.source && b.source->file != a.source->file)
    fix_places(b.arm, fs::absolute(b.source->file).parent_path());
  OptionSides sides;
  suite::Case& both = sides.sides;
  both.file = a.source ? a.source->file : fs::path(a.file);
  both.profile = a.profile;
  if (a.source)
    both.python = a.source->python;
  both.timeout_seconds = std::max(a.timeout_seconds, b.timeout_seconds);
  both.arms = {a.arm, b.arm};
  set_names(sides, a, b);
  both.reference = both.arms.front().name;
  std::vector<suite::Case> changed = {both};
  apply_settings(changed, settings);
  both = changed.front();
  for (const std::string& text : settings)
    if (text.find(':') == std::string::npos || text.find(':') > text.find('='))
      sides.base_command += " --set " + shell_quote({text});
  return sides;
}

void require_known_keys(const OptionSides& sides, const fs::path& trainer) {
  const suite::Arm& good = sides.sides.arms.at(0);
  const suite::Arm& bad = sides.sides.arms.at(1);
  if (good.is_command() && bad.is_command())
    return;
  fs::path file = trainer;
  file += ".schema.json";
  const suite::ConfigSchema schema = suite::ConfigSchema::load(file);
  std::vector<std::string> known;
  for (const auto& [key, entry] : schema.keys())
    known.push_back(key);
  for (const suite::Arm* arm : {&good, &bad})
    for (const auto& [key, placed] : arm->config) {
      if (arm->is_command() || schema.keys().contains(key))
        continue;
      const suite::Arm& other = arm == &good ? bad : good;
      const bool both = !other.is_command() && other.config.contains(key);
      throw UserError(
          fmt::format("{}: unknown config key {} ({}){}", placed.place.text(), parity::quoted(key),
                      both ? "both sides have it"
                           : "only side " + arm->name + " has it, and the trainer cannot run with it",
                      suggestion(key, known)));
    }
}

}  // namespace parity::bisect
