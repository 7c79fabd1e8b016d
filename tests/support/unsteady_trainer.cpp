// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// A trainer of six updates in milliseconds that records itself and may have one defect, for tests of relation
// `repeats` and of `parity repeat`.
//
// Usage: unsteady_trainer DEFECT [FILE]
//
// | DEFECT         | what makes the runs differ                                                            |
// |----------------|---------------------------------------------------------------------------------------|
// | none           | nothing                                                                               |
// | race           | two threads add their terms to one float in the order in which they come              |
// | atomic         | the same, in an operator that PyTorch lists as nondeterministic                       |
// | clock          | random numbers are seeded by the time                                                 |
// | uninitialised  | a large block of memory is read before it is written                                  |
// | threads        | the sum is cut into as many parts as OMP_NUM_THREADS says                             |
// | alignment      | the order of a sum depends on the address of its block                                |
// | core           | one bit is wrong in every run that is pinned to the core that FILE names              |
// | flip           | one bit flips in the run that finds two lines in FILE, to which each run adds one     |
// | nan            | nothing; its loss is NaN from update 3 on                                              |
// | crash          | the run that finds two lines in FILE ends with status 1                               |
#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <sched.h>

#include "harness/base/files/file.hpp"
#include "harness/trace/format/operator_tensor.hpp"
#include "harness/trace/write/recorder.hpp"

namespace {

using parity::trace::Phase;
using parity::trace::Recorder;

constexpr size_t width = 512;
constexpr int64_t updates = 6;
constexpr int64_t bad_update = 3;  // from which a defect shows

using Values = std::vector<float>;

class Defect {
 public:
  Defect(std::string name, std::string file) : name_(std::move(name)), file_(std::move(file)) {
    if (name_ != "flip" && name_ != "crash")
      return;
    std::ifstream lines(file_);
    for (std::string line; std::getline(lines, line);)
      ++runs_before_;
    std::ofstream(file_, std::ios::app) << "a run\n";
    if (name_ == "crash" && runs_before_ == 2)
      std::exit(1);
  }

  bool is(const char* name) const { return name_ == name; }
  /// Returns whether one bit is to flip in this run.
  bool flips() const { return (is("flip") && runs_before_ == 2) || (is("core") && is_on_the_core()); }

 private:
  bool is_on_the_core() const {
    cpu_set_t set;
    return ::sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) == 1 &&
           CPU_ISSET(static_cast<size_t>(std::stoi(file_)), &set);
  }

  std::string name_, file_;
  int runs_before_ = 0;
};

float term(size_t element, size_t sample) {
  return 1.0F / static_cast<float>(1 + (element * 31 + sample * 17) % 97);
}

/// Number of elements that two threads add to, and how many terms each thread adds to one: enough that the
/// threads meet in every update.
constexpr size_t raced = 8, terms = 1 << 17;

void add_in_order(std::vector<std::atomic<float>>& sums, size_t first) {
  for (size_t element = 0; element < raced; ++element)
    for (size_t sample = 0; sample < terms; ++sample)
      sums[element].fetch_add(term(element, first + sample), std::memory_order_relaxed);
}

Values racing_sum() {
  std::vector<std::atomic<float>> sums(width);
  std::atomic<int> ready = 0;
  const auto work = [&](size_t first) {
    for (++ready; ready < 2;)
      std::this_thread::yield();
    add_in_order(sums, first);
  };
  std::thread other(work, 0);
  work(terms);
  other.join();
  return {sums.begin(), sums.end()};
}

/// Sums the terms in `parts` partial sums.
Values sum_in_parts(size_t parts) {
  Values sums(width);
  for (size_t element = 0; element < width; ++element)
    for (size_t part = 0; part < parts; ++part) {
      float partial = 0;
      for (size_t sample = part * 128 / parts; sample < (part + 1) * 128 / parts; ++sample)
        partial += term(element, sample);
      sums[element] += partial;
    }
  return sums;
}

/// Returns the value that a fresh block holds before anybody writes to it: 0 in memory that the system has
/// just given.
float unwritten_value() {
  constexpr size_t bytes = size_t{4} << 20;
  // Through a pointer that the compiler cannot follow, or it would refuse to read what nobody wrote.
  static void* (*volatile const take)(size_t) = &std::malloc;
  void* block = take(bytes);
  float value = 0;
  std::memcpy(&value, static_cast<char*>(block) + bytes / 2, sizeof value);
  std::free(block);
  return value;
}

size_t parts_by_address() {
  void* block = std::malloc(size_t{4} << 20);
  const size_t parts = reinterpret_cast<uintptr_t>(block) % 128 == 0 ? 3 : 1;
  std::free(block);
  return parts;
}

size_t parts_of(const Defect& defect) {
  const char* threads = std::getenv("OMP_NUM_THREADS");
  if (defect.is("threads") && threads != nullptr)
    return static_cast<size_t>(std::atoi(threads));
  return defect.is("alignment") ? parts_by_address() : 1;
}

Values gradient(const Defect& defect, int64_t step) {
  const bool shows = step >= bad_update;
  Values g = shows && (defect.is("race") || defect.is("atomic")) ? racing_sum()
             : shows                                             ? sum_in_parts(parts_of(defect))
                                                                 : sum_in_parts(1);
  if (shows && defect.is("uninitialised"))
    g[0] += unwritten_value();
  if (step == bad_update && defect.flips())
    g[17] = std::bit_cast<float>(std::bit_cast<uint32_t>(g[17]) ^ (1U << 21));
  return g;
}

Values inputs(const Defect& defect, int64_t step) {
  std::mt19937 random(static_cast<unsigned>(step));
  if (step >= bad_update && defect.is("clock"))
    random.seed(static_cast<unsigned>(std::chrono::steady_clock::now().time_since_epoch().count()));
  Values x(width);
  for (float& each : x)
    each = static_cast<float>(random() % 1000) / 1000;
  return x;
}

/// Records an operator's tensor, as a trainer does whose operators are watched.
void offer_operator(Recorder& recorder, Phase phase, int64_t number, const std::string& op,
                    const std::string& slot, const Values& values) {
  const std::string name = parity::trace::OperatorTensor{"layer", number, op, slot}.name();
  if (recorder.wants_operators(phase, "layer") && recorder.wants(phase, name))
    recorder.tensor(phase, name, {parity::DType::float32, {static_cast<int64_t>(width)}, values.data()});
}

void offer(Recorder& recorder, Phase phase, const char* name, Values& values) {
  recorder.tensor(phase, name, {parity::DType::float32, {static_cast<int64_t>(width)}, values.data()},
                  values.data());
}

std::string adding_operator(const Defect& defect) {
  return defect.is("atomic") ? "aten::scatter_add_" : defect.is("race") ? "ours::add" : "aten::sum";
}

void update(Recorder& recorder, const Defect& defect, int64_t step, Values& w) {
  recorder.begin_step(step);
  Values x = inputs(defect, step), h(width);
  offer_operator(recorder, Phase::forward, 0, "aten::normal_", "out.self", x);
  double loss = 0;
  for (size_t i = 0; i < width; ++i)
    loss += h[i] = w[i] * x[i];
  offer_operator(recorder, Phase::forward, 1, "aten::mul", "in.self", x);
  offer_operator(recorder, Phase::forward, 1, "aten::mul", "out.0", h);
  offer(recorder, Phase::forward, "layer", h);
  offer_operator(recorder, Phase::grad, 0, adding_operator(defect), "in.self", h);
  Values g = gradient(defect, step);
  offer_operator(recorder, Phase::grad, 0, adding_operator(defect), "out.0", g);
  offer(recorder, Phase::grad, "layer.weight", g);
  for (size_t i = 0; i < width; ++i)
    w[i] -= 0.01F * g[i];
  offer(recorder, Phase::param, "layer.weight", w);
  recorder.channel("loss", defect.is("nan") && step >= bad_update ? std::nan("") : loss);
  recorder.channel("step_seconds", 0.001, parity::trace::ChannelKind::timing);
  recorder.end_step();
}

}  // namespace

int main(int argc, char** argv) {
  const char *trace = std::getenv("PARITY_TRACE"), *capture = std::getenv("PARITY_CAPTURE");
  if (argc < 2 || trace == nullptr || capture == nullptr) {
    std::fputs("usage: PARITY_TRACE=FILE PARITY_CAPTURE=FILE unsteady_trainer DEFECT [FILE]\n", stderr);
    return 2;
  }
  const Defect defect(argv[1], argc > 2 ? argv[2] : "");
  Recorder::Options options;
  options.path = trace;
  options.capture = parity::trace::Capture::from_json(parity::Json::parse(parity::read_file(capture)));
  Recorder recorder(std::move(options));
  Values w(width, 1);
  recorder.begin_step(0);
  offer(recorder, Phase::param, "layer.weight", w);
  recorder.end_step();
  for (int64_t step = 1; step <= updates; ++step)
    update(recorder, defect, step, w);
  recorder.finish();
}
