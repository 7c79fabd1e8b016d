// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "reference/comm/job.hpp"

namespace parity::reference {

/// Returns the store where the ranks of a job meet: a file for local jobs, else a server at the master's
/// address.
c10::intrusive_ptr<c10d::Store> make_store(const Job& job, std::chrono::milliseconds timeout);

/// Connects `size` ranks that meet in `store` by Gloo. Ranks of one machine use its loopback interface. Other
/// ranks use the interface that GLOO_SOCKET_IFNAME names, or that the machine's name resolves to. The process
/// ignores SIGPIPE from then on.
c10::intrusive_ptr<c10d::Backend> make_gloo(const c10::intrusive_ptr<c10d::Store>& store, int64_t rank,
                                            int64_t size, bool local, std::chrono::milliseconds timeout);

/// Connects ranks by Gloo with the interfaces and the timeout of an existing Gloo backend.
/// \throws UserError if `existing` is another backend
c10::intrusive_ptr<c10d::Backend> make_gloo_like(c10d::Backend& existing,
                                                 const c10::intrusive_ptr<c10d::Store>& store, int64_t rank,
                                                 int64_t size);

}  // namespace parity::reference
