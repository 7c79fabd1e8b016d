// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "harness/bisect/options/record.hpp"
#include "harness/bisect/options/search_options.hpp"
#include "harness/bisect/options/wording.hpp"
#include "tests/harness/suite/suite_fixture.hpp"

namespace parity::bisect {

/// Two arms of one command whose losses depend on which keys are on, by a function of the test.
class OptionWorldTest : public suite::SuiteTest {
 protected:
  using Names = std::set<std::string>;
  using Losses = std::function<std::vector<double>(const Names& on)>;

  static std::vector<double> fallen(double at_step_1, double at_step_3 = 0) {
    std::vector<double> losses = falling_losses();
    losses[0] -= at_step_1;
    for (size_t i = 2; i < losses.size(); ++i)
      losses[i] -= at_step_3;
    return losses;
  }

  /// Writes a trace for each subset of `that_count`: NAME.h5 with the letters that are on. Without losses it
  /// writes none.
  void write_traces(const std::string& that_count, const Losses& losses) const {
    for (size_t number = 0; number < size_t{1} << that_count.size(); ++number) {
      Names on;
      std::string name = "t";
      for (size_t i = 0; i < that_count.size(); ++i)
        if (number >> i & 1) {
          on.insert(std::string(1, that_count[i]));
          name += that_count[i];
        }
      if (const std::vector<double> values = losses(on); !values.empty())
        write_trace(name, values);
    }
  }

  /// Reads its config, and leaves the trace of the letters that are on; fails if it does not exist.
  static std::string script(const std::string& that_count, const std::string& before = "") {
    std::string letters;
    for (const char letter : that_count)
      letters += std::string(" ") + letter;
    return "f=t; for k in" + letters +
           R"(; do if grep -q "\"$k\": 1" $PARITY_CONFIG; then f=$f$k; fi; done; )" + before +
           "[ -f {case_dir}/$f.h5 ] || { echo there is no $f >&2; exit 9; }; cp {case_dir}/$f.h5 "
           "$PARITY_TRACE";
  }

  /// Arm good has every letter of `keys` off, arm bad on.
  suite::Case case_of(const std::string& keys, const std::string& program) const {
    const auto arm = [&](const std::string& name, int value) {
      std::string text = shell_arm(name, program);
      for (const char key : keys)
        text += std::string("opt.") + key + " = " + std::to_string(value) + "\n";
      return text;
    };
    write_case("w", arm("good", 0) + arm("bad", 1) + "[golden]\narms = []\n" + losses_identical());
    return option_sides((folder_ / "cases/topic/w.toml").string(), "", folder_ / "cases", {}).sides;
  }

  OptionFindings search(const suite::Case& sides, const OptionQuestion& question = {}) const {
    suite::SuiteOptions options;
    options.out = folder_ / "out";
    options.trainer = folder_ / "no-trainer-needed";
    options.jobs = 2;
    Progress progress(stderr, false);
    return search_options(sides, question, options, progress);
  }

  /// Returns the keys of a round's cause, without "opt.".
  static std::string keys_of(const OptionFindings& found, size_t round = 0) {
    std::string keys;
    for (const size_t i : found.rounds.at(round).cause.on)
      keys += found.toggles.at(i).key.substr(4);
    return keys;
  }
};

}  // namespace parity::bisect
