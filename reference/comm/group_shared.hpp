// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Definitions that the sources of Group share. Users of Group do not include this header.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "reference/comm/group.hpp"
#include "reference/comm/mirror.hpp"

namespace parity::reference {

/// State that all groups of a world share.
struct Group::Shared {
  /// Connects the ranks of a group on the CPU, which meet in the store.
  using Connect = std::function<c10::intrusive_ptr<c10d::Backend>(
      const c10::intrusive_ptr<c10d::Store>& store, int64_t rank, int64_t size)>;
  Connect connect;
  std::chrono::milliseconds timeout = {};  ///< of the device's collectives
  Device device = {};
  std::string host = {};  ///< of this rank: " on NAME", if the ranks may be on several
  std::vector<std::string> warnings = {};
  int64_t collectives = 0;
  std::map<std::string, Traffic> traffic = {};
  std::map<std::string, int64_t> subgroups = {};  ///< made so far under a name
  Watcher watcher = {};
  CollectiveTap tap = {};
  std::shared_ptr<Mirror> mirror = {};  ///< null: nobody follows

  void report_wait(std::string_view what) const {
    if (watcher)
      watcher(collectives, what);
  }
};

/// Returns the first line of the message; LibTorch's stack trace follows it.
inline std::string reason_of(const std::exception& error) {
  const std::string text = error.what();
  return text.substr(0, text.find('\n'));
}

}  // namespace parity::reference
