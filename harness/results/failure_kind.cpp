// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/results/failure_kind.hpp"

namespace parity::results {
namespace {

/// In the order of FailureKind.
constexpr std::array<FailureMeaning, EnumNames<FailureKind>::names.size()> meanings = {{
    {ExitCode::crashed, true},     // crashed
    {ExitCode::crashed, true},     // hung
    {ExitCode::crashed, true},     // no_trace
    {ExitCode::crashed, true},     // bad_trace
    {ExitCode::crashed, true},     // bad_fault
    {ExitCode::crashed, true},     // non_finite
    {ExitCode::crashed, true},     // interrupted
    {ExitCode::crashed, false},    // not_started
    {ExitCode::bad_input, false},  // bad_config
    {ExitCode::missing, false},    // missing
    {ExitCode::crashed, false},    // no_device
    {ExitCode::missing, false},    // no_environment
}};

}  // namespace

FailureKind failure_kind_of(std::string_view name) {
  return enum_or(name, FailureKind::crashed);
}

FailureMeaning meaning_of(FailureKind kind) {
  return meanings.at(static_cast<size_t>(kind));
}

}  // namespace parity::results
