# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
#
# Target parity::torch: LibTorch's CPU libraries and headers. The wheel's CUDA libraries are not linked;
# a program starts several times faster without them (cuda.cmake has them, for the plug-in). Target parity_torch_pch holds the one precompiled
# torch header; parity_library, parity_program and parity_test with TORCH use it.

add_library(parity_torch INTERFACE)
add_library(parity::torch ALIAS parity_torch)

if(Torch_DIR OR Torch_ROOT OR "$ENV{Torch_DIR}" OR "$ENV{Torch_ROOT}")
  if(NOT DEFINED TORCH_CUDA_ARCH_LIST)
    set(TORCH_CUDA_ARCH_LIST "9.0") # CMake 3.25 fails in the package's own detection without a GPU
  endif()
  set(PARITY_TORCH_FROM_VENV FALSE) # then no PyTorch in Python on the same wheel to test against
  find_package(Torch REQUIRED)
  set(PARITY_TORCH_ROOT "${TORCH_INSTALL_PREFIX}")
  target_include_directories(parity_torch SYSTEM INTERFACE ${TORCH_INCLUDE_DIRS})
  target_link_libraries(parity_torch INTERFACE torch_cpu c10)
else()
  set(PARITY_TORCH_FROM_VENV TRUE)
  file(GLOB _torch_root "${PARITY_VENV}/lib/python3.*/site-packages/torch")
  if(NOT _torch_root)
    message(FATAL_ERROR "no torch wheel in ${PARITY_VENV} (it was not bootstrapped); "
      "configure with -DPARITY_BOOTSTRAP=ON, or give your own LibTorch with -DTorch_DIR=")
  endif()
  set(PARITY_TORCH_ROOT "${_torch_root}")
  foreach(name IN ITEMS c10 torch_cpu)
    add_library(parity_${name} SHARED IMPORTED)
    set_target_properties(parity_${name} PROPERTIES IMPORTED_LOCATION "${_torch_root}/lib/lib${name}.so")
  endforeach()
  target_include_directories(parity_torch SYSTEM INTERFACE
    "${_torch_root}/include" "${_torch_root}/include/torch/csrc/api/include")
  target_compile_definitions(parity_torch INTERFACE _GLIBCXX_USE_CXX11_ABI=1)
  target_link_libraries(parity_torch INTERFACE parity_torch_cpu parity_c10)
  # torch_cpu names the CUDA runtime, which lies beside it and is found through its own run path.
  target_link_options(parity_torch INTERFACE "LINKER:--allow-shlib-undefined")
endif()

# GCC takes a precompiled header only with the flags it was made with, -fPIC or -fPIE among them, so every
# user of this one is compiled with -fPIC (parity_use_torch sees to it).
file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/generated/torch_pch.cpp"
  CONTENT "namespace parity { void torch_pch() {} } // exists so that the precompiled header has an owner\n")
add_library(parity_torch_pch STATIC "${CMAKE_BINARY_DIR}/generated/torch_pch.cpp")
target_link_libraries(parity_torch_pch PUBLIC parity::options parity::torch)
target_precompile_headers(parity_torch_pch PRIVATE
  <functional> <map> <memory> <string> <vector> <torch/types.h> <torch/autograd.h>)

# Links LibTorch into a target and compiles it with the precompiled header.
function(parity_use_torch target)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "EXECUTABLE")
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${target} PRIVATE -fPIC)
    target_link_libraries(${target} PRIVATE parity::torch)
  else()
    target_link_libraries(${target} PUBLIC parity::torch)
  endif()
  target_precompile_headers(${target} REUSE_FROM parity_torch_pch)
endfunction()

# The same for a library that nothing links: the precompiled header, and LibTorch kept to itself.
function(parity_use_torch_privately target)
  target_link_libraries(${target} PRIVATE parity::torch)
  target_precompile_headers(${target} REUSE_FROM parity_torch_pch)
endfunction()
