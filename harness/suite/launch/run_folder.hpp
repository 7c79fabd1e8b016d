// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace parity::suite {

/// The small files of a run's folder, as a process of the run reaches them: in the file system, or through
/// parity (far/client.hpp). Names are relative to the folder: "launch.0/rank.1.json".
class RunFolder {
 public:
  RunFolder() = default;
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;
  virtual ~RunFolder() = default;

  /// Returns the content of a file; nothing if it is not there, cannot be read, or is longer than 16 MiB.
  virtual std::optional<std::string> read(const std::string& name) const = 0;
  /// Replaces a file. Readers see the old content or the new one. \throws UserError
  virtual void write(const std::string& name, std::string_view content) const = 0;
  /// Creates an empty file. \return whether it was not there before. \throws UserError
  virtual bool claim(const std::string& name) const = 0;
};

/// A run's folder that this machine sees.
class SeenFolder : public RunFolder {
 public:
  explicit SeenFolder(std::filesystem::path folder) : folder_(std::move(folder)) {}

  std::optional<std::string> read(const std::string& name) const override;
  void write(const std::string& name, std::string_view content) const override;
  bool claim(const std::string& name) const override;

 private:
  std::filesystem::path folder_;
};

}  // namespace parity::suite
