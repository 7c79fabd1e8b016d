// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/operators/problem/stored_values.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>
#include <sys/stat.h>

#include "harness/base/error.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/base/text/nearest.hpp"
#include "harness/operators/problem/widened.hpp"
#include "harness/trace/read/trace.hpp"

namespace parity::operators {
namespace {

using FileState = std::array<int64_t, 7>;

/// Returns what changes if a file is written or replaced; none if it is not there.
std::optional<FileState> state_of(const std::string& file) {
  struct stat facts{};
  if (::stat(file.c_str(), &facts) != 0)
    return std::nullopt;
  return FileState{static_cast<int64_t>(facts.st_dev),          static_cast<int64_t>(facts.st_ino),
                   static_cast<int64_t>(facts.st_size),         static_cast<int64_t>(facts.st_mtim.tv_sec),
                   static_cast<int64_t>(facts.st_mtim.tv_nsec), static_cast<int64_t>(facts.st_ctim.tv_sec),
                   static_cast<int64_t>(facts.st_ctim.tv_nsec)};
}

/// The trace that a thread read last, since the points of a problem often have one file. Opening checks the
/// whole file.
struct LastTrace {
  std::string file;
  std::optional<FileState> state;
  std::optional<trace::Trace> trace;

  const trace::Trace& open(const std::string& wanted) {
    const std::optional<FileState> now = state_of(wanted);
    if (!trace || !now || wanted != file || now != state) {
      trace.reset();
      trace = trace::Trace::open(wanted);
      file = wanted;
      state = now;
    }
    return *trace;
  }
};

}  // namespace

std::vector<double> stored_values(const TensorSpec& spec, const Point& point) {
  const Shape shape = spec.shape_at(point);
  std::string wanted = spec.from;
  for (const auto& [symbol, size] : point.sizes)
    if (const size_t at = wanted.find("{" + symbol + "}"); at != std::string::npos)
      wanted.replace(at, symbol.size() + 2, std::to_string(size));
  thread_local LastTrace last;
  const trace::Trace& trace = last.open(spec.file);
  std::vector<std::string> names;
  for (const trace::TensorKey& key : trace.tensors()) {
    if (key.name != wanted) {
      names.push_back(key.name);
      continue;
    }
    const TensorView view = trace.tensor(key);
    if (view.shape != shape)
      throw UserError(
          fmt::format("tensor {} of {} has another shape than the input; give the input its shape",
                      parity::quoted(wanted), escape_for_terminal(spec.file)));
    return widened(view);
  }
  throw UserError(fmt::format("{} has no tensor {}{}", escape_for_terminal(spec.file), parity::quoted(wanted),
                              suggestion(wanted, names)));
}

}  // namespace parity::operators
