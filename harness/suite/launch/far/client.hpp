// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/suite/launch/far/connection.hpp"
#include "harness/suite/launch/far/place.hpp"
#include "harness/suite/launch/local_traces.hpp"
#include "harness/suite/launch/run_folder.hpp"

namespace parity::suite {

/// The folder of a run on a machine that does not see it: requests to parity (server.hpp).
/// \throws ConnectionLost from each member function, and UserError if parity cannot do what is asked
class FarClient : public RunFolder {
 public:
  /// \throws UserError if parity is not reached there, or has another key
  explicit FarClient(const FarPlace& place);

  std::optional<std::string> read(const std::string& name) const override;
  void write(const std::string& name, std::string_view content) const override;
  bool claim(const std::string& name) const override;

  /// Limits how long an answer may take.
  void limit(std::chrono::milliseconds limit) const { connection_.limit(limit); }
  /// Makes this the connection of a rank: if it ends before end(), the rank is lost.
  void be_rank(int rank) const;
  void end() const;
  /// Returns whether parity has closed the connection.
  bool is_closed() const { return connection_.is_closed(); }

  std::vector<std::string> list() const;
  /// Copies a file of the run to this machine. \throws UserError if parity does not have it
  void fetch(const std::string& name, const std::filesystem::path& to) const;
  void remove(const std::string& name) const;
  /// Adds to a file of the run. \param bytes  any number
  void append(const std::string& name, std::string_view bytes) const;
  /// Copies a file to the run's folder. It takes its name there if it arrived with its size and digest.
  /// \param progress  called after each piece with the bytes sent so far
  CollectedFile send(const std::filesystem::path& file, const std::string& name,
                     const std::function<void(uint64_t)>& progress) const;

 private:
  Message ask(const Json& head, std::string bytes = {}) const;

  Connection connection_;
};

}  // namespace parity::suite
