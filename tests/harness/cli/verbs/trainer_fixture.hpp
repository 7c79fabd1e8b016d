// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "harness/base/json/json.hpp"
#include "tests/harness/cli/program_fixture.hpp"

namespace parity::cli {

/// Runs `parity` with a trainer that answers questions about configs, and trains nothing.
class TrainerTest : public ProgramTest {
 protected:
  /// A script that answers --check, with a schema of a few keys next to it.
  void write_trainer(const std::string& answer) const {
    const auto key = [](const char* type, const Json& value) {
      return Json{
          {"type", type}, {"default", value}, {"doc", ""}, {"values", Json::array()}, {"numeric", true}};
    };
    const Json schema = {{"schema", "parity.config/1"},
                         {"keys",
                          {{"steps", key("integer", 10)},
                           {"parallel.tp", key("integer", 1)},
                           {"loss.chunks", key("integer", 0)},
                           {"clip.max_norm", key("number", 1.0)}}},
                         {"channels", {"loss"}},
                         {"mesh", {"parallel.tp"}}};
    write_file(folder_ / "trainer.schema.json", schema.dump());
    write_file(folder_ / "trainer",
               "#!/usr/bin/env python3\nimport json, sys\nconfigs = json.load(open(sys.argv[2]))\n" + answer +
                   "\nprint(json.dumps(answers))\n");
    std::filesystem::permissions(folder_ / "trainer", std::filesystem::perms::owner_all);
  }
};

}  // namespace parity::cli
