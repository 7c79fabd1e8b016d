# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
#
# Target parity::torch: LibTorch's CPU libraries and headers. The wheel's CUDA libraries are not linked;
# a program starts several times faster without them (cuda.cmake has them, for the plug-in).

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

# The wheel brings an fmt of its own, of another version, without its compiled half.
target_compile_definitions(parity_torch INTERFACE FMT_HEADER_ONLY=1)
