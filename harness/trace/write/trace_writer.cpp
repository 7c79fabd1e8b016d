// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/write/trace_writer.hpp"

namespace parity::trace {

TraceWriter::TraceWriter(std::unique_ptr<TraceFile> file, size_t most_bytes)
    : file_(std::move(file)), most_bytes_(most_bytes), thread_([this] { work(); }) {}

TraceWriter::~TraceWriter() {
  {
    const std::lock_guard guard(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void TraceWriter::rethrow() const {
  if (failure_)
    std::rethrow_exception(failure_);
}

void TraceWriter::submit(Job job, size_t bytes) {
  std::unique_lock guard(mutex_);
  // A job larger than the bound runs alone.
  changed_.wait(guard, [&] { return failure_ || bytes_ == 0 || bytes_ + bytes <= most_bytes_; });
  rethrow();
  queue_.emplace_back(std::move(job), bytes);
  bytes_ += bytes;
  changed_.notify_all();
}

void TraceWriter::drain() {
  std::unique_lock guard(mutex_);
  changed_.wait(guard, [&] { return queue_.empty() && !busy_; });
  rethrow();
}

void TraceWriter::work() {
  std::unique_lock guard(mutex_);
  while (true) {
    changed_.wait(guard, [&] { return stop_ || !queue_.empty(); });
    if (queue_.empty())
      return;
    auto [job, bytes] = std::move(queue_.front());
    queue_.pop_front();
    busy_ = true;
    if (!failure_) {
      guard.unlock();
      std::exception_ptr failed;
      try {
        auto done = job.get_future();
        job(*file_);
        done.get();
      } catch (...) {
        failed = std::current_exception();
      }
      job = {};  // frees its memory before that counts as free
      guard.lock();
      failure_ = failed;
    }
    busy_ = false;
    bytes_ -= bytes;
    changed_.notify_all();
  }
}

}  // namespace parity::trace
