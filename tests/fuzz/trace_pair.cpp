// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>

#include <unistd.h>

#include "harness/base/error.hpp"
#include "harness/compare/traces/compare_traces.hpp"
#include "harness/trace/read/trace.hpp"
#include "tests/fuzz/decoded_trace.hpp"
#include "tests/fuzz/mutated_trace.hpp"
#include "tests/fuzz/original_traces.hpp"
#include "tests/fuzz/targets.hpp"

namespace parity::fuzz {
namespace fs = std::filesystem;
namespace {

/// A folder that is removed with its process.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "parity-fuzz-XXXXXX").string();
    require(::mkdtemp(name.data()) != nullptr, "cannot make a temporary folder");
    path_ = name;
  }
  ~TemporaryFolder() { fs::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// The traces that mutations start from, and what they decode to.
struct Originals {
  TemporaryFolder folder;
  std::array<std::map<std::string, std::string>, original_traces> decoded;

  Originals() {
    for (size_t i = 0; i < original_traces; ++i) {
      fs::create_directories(at(i));
      write_original(i, at(i));
      decoded.at(i) = decode_trace(at(i));
    }
  }
  fs::path at(size_t which) const { return folder.path() / std::to_string(which); }
};

/// Returns the names at which the decoded values of two traces differ; empty if they agree.
std::string differing(const std::map<std::string, std::string>& left,
                      const std::map<std::string, std::string>& right) {
  std::string names;
  for (const auto& [name, value] : left)
    if (const auto found = right.find(name); found == right.end() || found->second != value)
      names += " " + name;
  for (const auto& [name, value] : right)
    if (!left.contains(name))
      names += " " + name;
  return names;
}

}  // namespace

void compare_trace_pair(std::string_view bytes) {
  static const Originals originals;
  if (bytes.empty())
    return;
  const size_t which = static_cast<uint8_t>(bytes[0]) % original_traces;
  const fs::path copy = originals.folder.path() / "copy";
  fs::remove_all(copy);
  fs::copy(originals.at(which), copy);
  mutate_trace(copy, bytes.substr(1));
  bool identical = false;
  try {
    identical = compare::compare_traces(trace::Trace::open(originals.at(which) / "trace.h5"),
                                        trace::Trace::open(copy / "trace.h5"), {})
                    .identical();
  } catch (const UserError&) {
    return;
  }
  if (!identical)
    return;
  const std::string names = differing(originals.decoded.at(which), decode_trace(copy));
  require(names.empty(), "compare calls two traces identical that differ in" + names);
}

}  // namespace parity::fuzz
