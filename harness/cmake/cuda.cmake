# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
#
# Target parity::cuda_libraries: LibTorch's CUDA libraries, the CUDA runtime, NCCL and their headers, from the
# wheels beside torch. Only the plug-in links it. A GPU or a driver is not needed to build.
#   PARITY_CUDA = AUTO  builds the plug-in if these wheels are installed (the default); ON  installs and demands them; OFF
# Sets PARITY_CUDA_FOUND; PARITY_CUDA_KERNELS, whether there is an nvcc for harness/measure/cuda too, and
# PARITY_NVCC_COMMAND, how it is called.

set(PARITY_CUDA_FOUND FALSE)

# Says in `missing` what of a CUDA build is not there. "" = nothing.
function(parity_find_cuda torch_root missing)
  set(${missing} "" PARENT_SCOPE)
  set(wheels "${torch_root}/../nvidia")
  foreach(name IN ITEMS torch_cuda c10_cuda)
    if(NOT EXISTS "${torch_root}/lib/lib${name}.so")
      set(${missing} "${torch_root}/lib has no lib${name}.so" PARENT_SCOPE)
      return()
    endif()
    add_library(parity_${name} SHARED IMPORTED)
    set_target_properties(parity_${name} PROPERTIES IMPORTED_LOCATION "${torch_root}/lib/lib${name}.so")
  endforeach()
  foreach(library IN ITEMS cu13/lib/libcudart.so.13 cu13/lib/libcudart_static.a nccl/lib/libnccl.so.2
      cu13/include/cuda_runtime.h
      nccl/include/nccl.h)
    if(NOT EXISTS "${wheels}/${library}")
      set(${missing} "the wheels beside torch have no ${library}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
  foreach(pair IN ITEMS "cudart cu13/lib/libcudart.so.13" "nccl nccl/lib/libnccl.so.2")
    string(REPLACE " " ";" pair "${pair}")
    list(GET pair 0 name)
    list(GET pair 1 file)
    add_library(parity_${name} SHARED IMPORTED)
    set_target_properties(parity_${name} PROPERTIES IMPORTED_LOCATION "${wheels}/${file}")
  endforeach()
  add_library(parity_cudart_static STATIC IMPORTED)
  set_target_properties(parity_cudart_static PROPERTIES IMPORTED_LOCATION "${wheels}/cu13/lib/libcudart_static.a"
    INTERFACE_INCLUDE_DIRECTORIES "${wheels}/cu13/include")
  add_library(parity_cuda_libraries INTERFACE)
  add_library(parity::cuda_libraries ALIAS parity_cuda_libraries)
  target_include_directories(parity_cuda_libraries SYSTEM INTERFACE
    "${wheels}/cu13/include" "${wheels}/cu13/include/cccl" "${wheels}/nccl/include")
  target_link_libraries(parity_cuda_libraries INTERFACE
    parity_torch_cuda parity_c10_cuda parity_cudart parity_nccl)
endfunction()

# The same of a build of kernels, tried with one.
function(parity_find_nvcc torch_root missing)
  set(nvcc "${torch_root}/../nvidia/cu13/bin/nvcc")
  if(NOT EXISTS "${nvcc}")
    set(${missing} "the wheels beside torch have no cu13/bin/nvcc" PARENT_SCOPE)
    return()
  endif()
  # PTX for any GPU since Turing, which the driver compiles, and machine code for Hopper. Without fused
  # multiply-add, so that a GPU has the CPU's bits.
  set(command "${nvcc}" -std=c++20 -O3 --fmad=false --expt-relaxed-constexpr
    -gencode arch=compute_75,code=compute_75 -gencode arch=compute_90,code=sm_90
    -ccbin "${CMAKE_CXX_COMPILER}" -Xcompiler=-fPIC,-ffp-contract=off,-Wall,-Wextra
    "-I${PROJECT_SOURCE_DIR}")
  if(PARITY_WERROR)
    list(APPEND command -Werror all-warnings -Xcompiler=-Werror)
  endif()
  set(PARITY_NVCC_COMMAND "${command}" PARENT_SCOPE)
  if(NOT "${PARITY_NVCC_WORKS}" STREQUAL "${command}")
    set(probe "${PROJECT_BINARY_DIR}/CMakeFiles/nvcc_probe")
    file(WRITE "${probe}.cu" "#include <variant>\n__global__ void probe(int* x) { *x = 1; }\n")
    execute_process(COMMAND ${command} -c "${probe}.cu" -o "${probe}.o"
      RESULT_VARIABLE failed OUTPUT_VARIABLE words ERROR_VARIABLE words)
    if(failed)
      string(STRIP "${words}" words)
      set(${missing} "nvcc cannot compile with ${CMAKE_CXX_COMPILER}: ${words}" PARENT_SCOPE)
      return()
    endif()
    set(PARITY_NVCC_WORKS "${command}" CACHE INTERNAL "How nvcc was called when it last worked")
  endif()
  set(${missing} "" PARENT_SCOPE)
endfunction()

set(PARITY_CUDA_KERNELS FALSE)
if(PARITY_CUDA)
  parity_find_cuda("${PARITY_TORCH_ROOT}" _missing)
  if(_missing STREQUAL "")
    set(PARITY_CUDA_FOUND TRUE)
    message(STATUS "CUDA: the plug-in of parity-train is built (device = \"cuda\")")
    parity_find_nvcc("${PARITY_TORCH_ROOT}" _missing)
    if(_missing STREQUAL "")
      set(PARITY_CUDA_KERNELS TRUE)
      message(STATUS "CUDA: its kernels are built, tensors are measured where they are")
    elseif(PARITY_CUDA STREQUAL "AUTO")
      message(WARNING "CUDA: no kernels; whole tensors go to the host to be measured (${_missing})")
    else()
      message(FATAL_ERROR "PARITY_CUDA=${PARITY_CUDA}, but ${_missing}; "
        "let the build set up its own environment, or configure with -DPARITY_CUDA=AUTO")
    endif()
  elseif(PARITY_CUDA STREQUAL "AUTO")
    message(STATUS "CUDA: no plug-in, device = \"cuda\" will be refused (${_missing})")
  else()
    message(FATAL_ERROR "PARITY_CUDA=${PARITY_CUDA}, but ${_missing}; "
      "let the build set up its own environment, or configure with -DPARITY_CUDA=AUTO")
  endif()
else()
  message(STATUS "CUDA: no plug-in, device = \"cuda\" will be refused (PARITY_CUDA=OFF)")
endif()
