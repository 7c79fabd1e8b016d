// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <utility>

#include "harness/api/include/parity/error.hpp"
#include "harness/api/include/parity/tensor_view.hpp"
#include "harness/api/include/parity/trace.hpp"
#include "harness/base/error.hpp"
#include "harness/measure/tensor/digest.hpp"
#include "harness/tensor/tensor_view.hpp"
#include "harness/trace/read/trace.hpp"

/// From the public types (parity::api) to those of the tree (parity) and back.
namespace parity::facade {

/// Returns what `work` returns. Its exceptions become api::Error.
template <class Work>
auto translated(const Work& work) -> decltype(work()) {
  try {
    return work();
  } catch (const api::Error&) {
    throw;
  } catch (const UserError& error) {
    throw api::Error(error.what(), static_cast<int>(error.code()));
  } catch (const std::exception& error) {
    throw api::Error(error.what(), static_cast<int>(ExitCode::internal));
  }
}

/// Returns the value of the same number of another enum with the same values.
template <class To, class From>
constexpr To same(From value) {
  return static_cast<To>(static_cast<int>(value));
}

inline parity::TensorView inner(const api::TensorView& view) {
  return {same<parity::DType>(view.dtype), view.shape, view.data};
}
inline api::TensorView outer(const parity::TensorView& view) {
  return {same<api::DType>(view.dtype), view.shape, view.data};
}
inline api::Digest outer(const measure::Digest& digest) {
  return {digest.low, digest.high};
}
inline trace::TensorKey inner(const api::TensorKey& key) {
  return {key.step, same<trace::Phase>(key.phase), key.name};
}
inline api::TensorKey outer(const trace::TensorKey& key) {
  return {key.step, same<api::Phase>(key.phase), key.name};
}

}  // namespace parity::facade

namespace parity::api {

struct [[gnu::visibility("hidden")]] Trace::State {
  trace::Trace trace;
};

/// Gives the library the trace that a public Trace owns.
struct [[gnu::visibility("hidden")]] TraceAccess {
  static const trace::Trace& trace_of(const Trace& trace) { return trace.state_->trace; }
};

}  // namespace parity::api
