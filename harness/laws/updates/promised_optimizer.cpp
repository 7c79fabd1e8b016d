// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/laws/updates/promised_optimizer.hpp"

#include <algorithm>
#include <cctype>
#include <string>

#include "harness/base/json/fields.hpp"

namespace parity::laws {

bool names_adamw(const RecordedRun& run) {
  for (const char* key : {"optimizer.name", "optimizer.type", "optimizer", "optim"}) {
    std::string word = run.config_text(key);
    std::ranges::transform(word, word.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (word.starts_with("adamw"))
      return true;
  }
  return false;
}

bool promises_l2(const RecordedRun& run) {
  const Json& facts = run.trace().provenance();
  return facts.is_object() && text_or(facts, "producer").starts_with("parity-train") &&
         run.config_text("optimizer.name") == "adam";
}

bool rounds_weights(const RecordedRun& run) {
  const std::string storage = run.config_text("optimizer.weights");
  return run.follows_config() && !storage.empty() && storage != "float32";
}

bool scales_queries(const RecordedRun& run) {
  return run.follows_config() && run.config_number("optimizer.qk_clip").value_or(0) > 0;
}

}  // namespace parity::laws
