# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
#
# Every outside library as one target. README.md says in a line what each is for.

find_package(Threads REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(PkgConfig REQUIRED)
if(PARITY_BUNDLE) # HDF5's compiler wrapper, which find_package asks, knows only the system's folders
  pkg_check_modules(hdf5 REQUIRED IMPORTED_TARGET hdf5-serial)
  set(HDF5_C_LIBRARIES PkgConfig::hdf5)
else()
  find_package(HDF5 REQUIRED COMPONENTS C)
endif()
pkg_check_modules(xxhash REQUIRED IMPORTED_TARGET libxxhash)
if(PARITY_PROGRAM)
  find_package(CLI11 REQUIRED)
  pkg_check_modules(tomlplusplus REQUIRED IMPORTED_TARGET tomlplusplus)
endif()

# Compiled: header-only, each source would instantiate it again. Targets with LibTorch see the wheel's fmt, which
# is of another version (and inline namespace), and take that one header-only: torch.cmake.
find_package(fmt REQUIRED)
add_library(parity::fmt ALIAS fmt::fmt)

add_library(parity_hdf5 INTERFACE)
target_include_directories(parity_hdf5 SYSTEM INTERFACE ${HDF5_C_INCLUDE_DIRS})
target_link_libraries(parity_hdf5 INTERFACE ${HDF5_C_LIBRARIES})
add_library(parity::hdf5 ALIAS parity_hdf5)

if(PARITY_BUILD_TESTS)
  find_package(GTest REQUIRED)
  find_package(rapidcheck REQUIRED) # property tests
  add_library(parity_rapidcheck INTERFACE)
  target_link_libraries(parity_rapidcheck INTERFACE rapidcheck)
  add_library(parity::rapidcheck ALIAS parity_rapidcheck)
endif()
