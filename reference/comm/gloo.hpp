// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "reference/comm/job.hpp"

namespace parity::reference {

/// Where the ranks of a job meet: a file for local ones, else a server at the master's address.
c10::intrusive_ptr<c10d::Store> make_store(const Job& job, std::chrono::milliseconds timeout);

/// Gloo between `size` ranks that meet in `store`. Ranks of one machine talk over its loopback interface;
/// others over the interface that GLOO_SOCKET_IFNAME names, or that the machine's name resolves to. The
/// process ignores SIGPIPE from then on.
c10::intrusive_ptr<c10d::Backend> make_gloo(const c10::intrusive_ptr<c10d::Store>& store, int64_t rank,
                                            int64_t size, bool local, std::chrono::milliseconds timeout);

/// The same with the interfaces and the timeout of a Gloo that exists.
/// \throws UserError if that is another backend
c10::intrusive_ptr<c10d::Backend> make_gloo_like(c10d::Backend& existing,
                                                 const c10::intrusive_ptr<c10d::Store>& store, int64_t rank,
                                                 int64_t size);

}  // namespace parity::reference
