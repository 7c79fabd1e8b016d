// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/model/suite/results.hpp"

#include <string>

#include "harness/base/error.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "reports/render.hpp"
#include "tests/fuzz/targets.hpp"

namespace parity::fuzz {

void read_results(std::string_view bytes) {
  try {
    const reports::ResultsFile results = reports::parse_results(std::string(bytes), "results.json");
    for (const reports::Renderer& renderer : reports::renderers()) {
      const std::string text = reports::rendered(renderer, results);
      require(is_utf8(text), std::string(renderer.name) + " wrote bytes that are no UTF-8");
      require(text.find('\x1b') == std::string::npos,
              std::string(renderer.name) + " wrote a terminal sequence");
    }
  } catch (const UserError&) {
    return;
  }
}

}  // namespace parity::fuzz
