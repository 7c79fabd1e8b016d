// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/measure/tensor/content_hash.hpp"

#include <bit>

#include <xxhash.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/measure/tensor/digest.hpp"

namespace parity::measure {

static_assert(std::endian::native == std::endian::little, "canonical bytes are little-endian");

struct ContentHash::State {
  std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> hash{XXH3_createState(), &XXH3_freeState};

  State() { require(hash && XXH3_128bits_reset(hash.get()) == XXH_OK, "no memory for a hash"); }
};

ContentHash::ContentHash() : state_(std::make_unique<State>()) {}

ContentHash::~ContentHash() = default;

void ContentHash::add_bytes(const void* data, size_t bytes) {
  XXH3_128bits_update(state_->hash.get(), data, bytes);
}

void ContentHash::add(std::string_view text) {
  add(static_cast<uint64_t>(text.size()));
  add_bytes(text.data(), text.size());
}

void ContentHash::add(int64_t value) {
  add_bytes(&value, sizeof value);
}

void ContentHash::add(uint64_t value) {
  add_bytes(&value, sizeof value);
}

void ContentHash::add(double value) {
  add_bytes(&value, sizeof value);
}

void ContentHash::add(std::span<const int64_t> values) {
  add(static_cast<uint64_t>(values.size()));
  add_bytes(values.data(), values.size_bytes());
}

void ContentHash::add(std::span<const double> values) {
  add(static_cast<uint64_t>(values.size()));
  add_bytes(values.data(), values.size_bytes());
}

std::string ContentHash::hex() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(state_->hash.get());
  return to_string(Digest{hash.low64, hash.high64});
}

std::string ContentHash::of_file(const std::filesystem::path& path) {
  ContentHash hash;
  pass_on(path, [&](std::string_view piece) { hash.add_bytes(piece.data(), piece.size()); });
  return hash.hex();
}

}  // namespace parity::measure
