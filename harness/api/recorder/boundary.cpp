// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/api/recorder/boundary.hpp"

namespace parity::capi {

std::string& last_error() {
  thread_local std::string reason;
  return reason;
}

Json parse_object(const char* text, const char* what) {
  if (text == nullptr)
    return Json::object();
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_object())
    throw UserError(std::string(what) + " is not a JSON object; give one, or NULL");
  return json;
}

}  // namespace parity::capi
