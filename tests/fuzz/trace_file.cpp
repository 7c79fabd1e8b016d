// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/base/error.hpp"
#include "harness/golden/golden_file.hpp"
#include "harness/trace/read/content_digest.hpp"
#include "harness/trace/read/trace.hpp"
#include "tests/fuzz/memory_file.hpp"
#include "tests/fuzz/targets.hpp"

namespace parity::fuzz {

void read_trace_file(std::string_view bytes) {
  const MemoryFile file(bytes);
  try {
    const trace::Trace trace = trace::Trace::open(file.path());
    for (const auto& [name, channel] : trace.channels())
      require(channel.as_double().size() == trace.steps().size(), "a channel of another length");
    for (const trace::TensorKey& key : trace.tensors())
      static_cast<void>(measure::digest_of(trace.tensor(key)));
    static_cast<void>(content_digest(trace));
  } catch (const UserError&) {
    return;
  }
}

void read_golden_file(std::string_view bytes) {
  const MemoryFile file(bytes);
  try {
    static_cast<void>(golden::read_golden(file.path()).intact());
  } catch (const UserError&) {
    return;
  }
}

}  // namespace parity::fuzz
