// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <set>
#include <sstream>

#include <gmock/gmock.h>

#include "harness/cli/program.hpp"

namespace parity::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

/// Returns the words of a line as a shell splits them: quotes count, escapes do not.
std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> words;
  std::string word;
  char quote = 0;
  bool open = false;
  for (const char c : line) {
    if (quote ? c == quote : c == '\'' || c == '"') {
      quote = quote ? '\0' : c;
      open = true;
    } else if (c == ' ' && !quote) {
      if (open)
        words.push_back(word);
      word.clear();
      open = false;
    } else {
      word += c;
      open = true;
    }
  }
  if (open)
    words.push_back(word);
  return words;
}

/// Returns the example lines of a verb's help: " parity ...", without the explanation after them.
std::vector<std::string> examples_of(const CLI::App& verb) {
  std::vector<std::string> examples;
  std::istringstream lines(verb.get_footer());
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("  parity"))
      continue;
    line = line.substr(2);
    line = line.substr(0, line.find("  "));
    examples.push_back(line.substr(0, line.find(" > ")));
  }
  return examples;
}

/// Collects every verb, including those like "golden record", with the words that call it.
void collect(const CLI::App& app, const std::string& words,
             std::vector<std::pair<std::string, const CLI::App*>>& to) {
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    to.emplace_back(words + " " + verb->get_name(), verb);
    collect(*verb, words + " " + verb->get_name(), to);
  }
}

class HelpTest : public testing::Test {
 protected:
  HelpTest() {
    add_verbs(app_, action_);
    collect(app_, "parity", verbs_);
  }
  CLI::App app_{"", "parity"};
  Action action_;
  std::vector<std::pair<std::string, const CLI::App*>> verbs_;
};

TEST_F(HelpTest, EveryVerbIsDescribedAndHasExamplesOfItself) {
  EXPECT_GE(verbs_.size(), 11U);
  for (const auto& [words, verb] : verbs_) {
    EXPECT_FALSE(verb->get_description().empty()) << words;
    ASSERT_FALSE(examples_of(*verb).empty()) << words;
    for (const std::string& example : examples_of(*verb))
      EXPECT_THAT(example, StartsWith(words));
  }
}

TEST_F(HelpTest, EveryExampleIsACommandLineThatParses) {
  for (const auto& entry : verbs_)
    for (const std::string& example : examples_of(*entry.second)) {
      CLI::App fresh("", "parity");
      Action action;
      add_verbs(fresh, action);
      std::vector<std::string> words = split(example);
      std::vector<std::string> reversed(words.rbegin(), words.rend() - 1);
      EXPECT_NO_THROW(fresh.parse(reversed)) << example;
      EXPECT_TRUE(action) << example;
    }
}

TEST_F(HelpTest, EveryOptionIsDescribedAndSaysWhatItTakes) {
  for (const auto& [words, verb] : verbs_)
    for (const CLI::Option* option : verb->get_options()) {
      EXPECT_FALSE(option->get_description().empty()) << words << " " << option->get_name();
      if (option->get_items_expected_max() > 0 && !option->get_positional()) {
        EXPECT_FALSE(option->get_type_name().empty()) << words << " " << option->get_name();
      }
    }
}

TEST_F(HelpTest, EveryVerbThatShowsResultsHasThemForMachines) {
  const std::set<std::string> prints_none = {"parity completion", "parity job", "parity rank"};
  for (const auto& [words, verb] : verbs_)
    if (verb->get_subcommands([](const CLI::App*) { return true; }).empty() && !prints_none.contains(words)) {
      EXPECT_NE(verb->get_option_no_throw("--json"), nullptr) << words;
    }
}

}  // namespace
}  // namespace parity::cli
