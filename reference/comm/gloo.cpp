// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
// The wheel contains Gloo but not its headers, which come from Debian. Do not construct GlooStore here: the
// two versions differ in it.
#ifndef USE_C10D_GLOO  // an own LibTorch, found by CMake, defines it
#define USE_C10D_GLOO
#endif
#include "reference/comm/gloo.hpp"

#include <csignal>
#include <cstdlib>

#include <sched.h>
#include <sys/epoll.h>

#include <torch/csrc/distributed/c10d/FileStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "harness/base/error.hpp"

/// Takes precedence over glibc's function in this process, so Gloo's thread calls it too. That thread only
/// tries the lock of a connection. While the training thread holds the lock, the thread asks for the same
/// event again and again. With more threads than cores it thus delays the rank that it waits for.
extern "C" __attribute__((visibility("default"))) int epoll_wait(int epoll, epoll_event* events, int limit,
                                                                 int timeout_ms) {
  sched_yield();
  return epoll_pwait(epoll, events, limit, timeout_ms, nullptr);
}

namespace parity::reference {

c10::intrusive_ptr<c10d::Store> make_store(const Job& job, std::chrono::milliseconds timeout) {
  c10::intrusive_ptr<c10d::Store> store;
  if (!job.file.empty()) {
    store = c10::make_intrusive<c10d::FileStore>(job.file.string(), static_cast<int>(job.world_size));
  } else {
    c10d::TCPStoreOptions options;
    options.port = static_cast<uint16_t>(job.master_port);
    options.isServer = job.rank == 0 && !job.store_is_served;
    options.timeout = timeout;
    options.waitWorkers = false;
    store = c10::make_intrusive<c10d::TCPStore>(job.master_address, options);
  }
  store->setTimeout(timeout);
  return store;
}

c10::intrusive_ptr<c10d::Backend> make_gloo(const c10::intrusive_ptr<c10d::Store>& store, int64_t rank,
                                            int64_t size, bool local, std::chrono::milliseconds timeout) {
  using c10d::ProcessGroupGloo;
  // Gloo writes to sockets without MSG_NOSIGNAL: a rank whose peer is gone would die of the signal before it
  // can report it. Python ignores the signal from the start.
  std::signal(SIGPIPE, SIG_IGN);
  const char* interface = std::getenv("GLOO_SOCKET_IFNAME");
  auto options = ProcessGroupGloo::Options::create(timeout);
  if (interface != nullptr && *interface != '\0')
    options->devices.push_back(ProcessGroupGloo::createDeviceForInterface(interface));
  else if (local)
    options->devices.push_back(ProcessGroupGloo::createDeviceForInterface("lo"));
  else
    options->devices.push_back(ProcessGroupGloo::createDefaultDevice());
  return c10::make_intrusive<ProcessGroupGloo>(store, static_cast<int>(rank), static_cast<int>(size),
                                               std::move(options));
}

c10::intrusive_ptr<c10d::Backend> make_gloo_like(c10d::Backend& existing,
                                                 const c10::intrusive_ptr<c10d::Store>& store, int64_t rank,
                                                 int64_t size) {
  using c10d::ProcessGroupGloo;
  auto* gloo = dynamic_cast<ProcessGroupGloo*>(&existing);
  if (gloo == nullptr)
    throw UserError("cannot split a process group over " + existing.getBackendName() +
                    " into smaller ones (only Gloo can do so); pass one over Gloo");
  const auto theirs = gloo->getOptions();
  auto options = ProcessGroupGloo::Options::create(theirs->timeout);
  options->devices = theirs->devices;
  options->threads = theirs->threads;
  return c10::make_intrusive<ProcessGroupGloo>(store, static_cast<int>(rank), static_cast<int>(size),
                                               std::move(options));
}

}  // namespace parity::reference
