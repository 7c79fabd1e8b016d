// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/hdf5/element_type.hpp"

#include <cstdint>

#include <fmt/format.h>

namespace parity::trace {
namespace {

using hdf5::check;
using hdf5::Handle;

/// Returns a float type of `size` bytes: sign, then exponent, then mantissa, from the top bit down.
Handle float_type(size_t size, size_t exponent_bits, size_t bias) {
  const std::string doing = "cannot make a float type";
  const size_t bits = 8 * size;
  const size_t mantissa_bits = bits - 1 - exponent_bits;
  Handle type(H5Tcopy(H5T_IEEE_F32LE), doing);
  check(H5Tset_fields(type, bits - 1, mantissa_bits, exponent_bits, 0, mantissa_bits), doing);
  check(H5Tset_size(type, size), doing);
  check(H5Tset_ebias(type, bias), doing);
  return type;
}

Handle bool_type() {
  Handle type(H5Tenum_create(H5T_STD_I8LE), "cannot make the bool type");
  const int8_t no = 0, yes = 1;
  check(H5Tenum_insert(type, "FALSE", &no), "cannot make the bool type");
  check(H5Tenum_insert(type, "TRUE", &yes), "cannot make the bool type");
  return type;
}

[[noreturn]] void refuse_element_type(hid_t dataset, const std::string& why) {
  throw UserError(fmt::format("cannot read {} ({}); see harness/trace/FORMAT.md, \"Element types\"",
                              hdf5::path_of(dataset), why));
}

Handle standard(hid_t type) {
  return {H5Tcopy(type), "cannot copy a type"};
}

}  // namespace

Handle element_type(DType dtype) {
  switch (dtype) {
    case DType::float64:
      return standard(H5T_IEEE_F64LE);
    case DType::float32:
      return standard(H5T_IEEE_F32LE);
    case DType::bfloat16:
      return float_type(2, 8, 127);
    case DType::float16:
      return float_type(2, 5, 15);
    case DType::float8_e5m2:
      return float_type(1, 5, 15);
    case DType::int64:
      return standard(H5T_STD_I64LE);
    case DType::int32:
      return standard(H5T_STD_I32LE);
    case DType::int16:
      return standard(H5T_STD_I16LE);
    case DType::int8:
      return standard(H5T_STD_I8LE);
    case DType::float8_e4m3fn:
    case DType::uint8:
      return standard(H5T_STD_U8LE);
    case DType::residue64:
      return standard(H5T_STD_U64LE);
    case DType::bool8:
      return bool_type();
  }
  throw InternalError("element_type: dtype " + std::to_string(static_cast<int>(dtype)));
}

DType dtype_of(hid_t dataset, const std::optional<std::string>& declared) {
  const Handle stored(H5Dget_type(dataset), "cannot read the type of " + hdf5::path_of(dataset));
  const Handle type = standard(stored);  // a copy that can be modified
  if (const auto kind = H5Tget_class(type); kind == H5T_INTEGER || kind == H5T_FLOAT)
    check(H5Tset_order(type, H5T_ORDER_LE), "cannot compare types");  // reading swaps the bytes
  const auto holds = [&](DType dtype) { return H5Tequal(type, element_type(dtype)) > 0; };
  if (declared) {
    const DType dtype = parse_enum<DType>(*declared);
    if (!holds(dtype))
      refuse_element_type(dataset, fmt::format("its HDF5 type does not match its dtype {}", *declared));
    return dtype;
  }
  for (size_t i = 0; i < EnumNames<DType>::names.size(); ++i)
    if (const auto dtype = static_cast<DType>(i); dtype != DType::float8_e4m3fn && holds(dtype))
      return dtype;
  refuse_element_type(dataset, "its HDF5 type is not supported");
}

}  // namespace parity::trace
