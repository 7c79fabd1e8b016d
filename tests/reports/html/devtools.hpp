// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include <sys/types.h>

#include "harness/base/json/json.hpp"

namespace parity::reports {

/// A headless Chromium with one tab of 1400 x 1000 pixels, driven over the DevTools protocol in real time.
/// The messages go through two pipes, so that no port is opened.
class DevTools {
 public:
  /// \param profile  a new folder for the browser
  explicit DevTools(const std::filesystem::path& profile);
  ~DevTools();
  DevTools(const DevTools&) = delete;
  DevTools& operator=(const DevTools&) = delete;

  /// Opens a page and waits until its load event. \throws std::runtime_error if the browser does not answer
  void open(const std::string& address);
  /// Returns the value of an expression; a promise is awaited. \throws std::runtime_error if it throws
  Json evaluate(const std::string& expression);
  /// Sends one command to the tab and returns its result.
  Json send(const std::string& method, const Json& parameters = Json::object());

 private:
  Json request(const std::string& method, const Json& parameters, const std::string& session);
  Json next_message();
  void wait_for_event(const std::string& method);

  pid_t browser_ = -1;
  int to_ = -1, from_ = -1;
  int last_id_ = 0;
  std::string unread_, session_;
  std::string seen_events_;  ///< names of those that arrived while waiting for an answer
};

}  // namespace parity::reports
