# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
#
# Target parity::parquet_libraries: the C++ libraries and headers of Apache Arrow in the wheel pyarrow. Only the
# library that parity-train opens for Parquet files links it.
#   PARITY_PARQUET = AUTO  builds it if the wheel is installed (the default); ON  installs and demands it; OFF
# Sets PARITY_PARQUET_FOUND.

set(PARITY_PARQUET_FOUND FALSE)

# Says in `missing` what is not there. "" = nothing.
function(parity_find_parquet missing)
  file(GLOB root "${PARITY_VENV}/lib/python3.*/site-packages/pyarrow")
  file(GLOB arrow "${root}/libarrow.so.*")
  file(GLOB parquet "${root}/libparquet.so.*")
  foreach(file IN ITEMS "${arrow}" "${parquet}" "${root}/include/parquet/arrow/reader.h")
    if(NOT root OR NOT EXISTS "${file}")
      set(${missing} "${PARITY_VENV} has no pyarrow with its C++ libraries" PARENT_SCOPE)
      return()
    endif()
  endforeach()
  foreach(name IN ITEMS arrow parquet)
    add_library(parity_wheel_${name} SHARED IMPORTED)
    set_target_properties(parity_wheel_${name} PROPERTIES IMPORTED_LOCATION "${${name}}")
  endforeach()
  add_library(parity_parquet_libraries INTERFACE)
  add_library(parity::parquet_libraries ALIAS parity_parquet_libraries)
  target_include_directories(parity_parquet_libraries SYSTEM INTERFACE "${root}/include")
  target_link_libraries(parity_parquet_libraries INTERFACE parity_wheel_parquet parity_wheel_arrow)
  set(${missing} "" PARENT_SCOPE)
endfunction()

set(_missing "PARITY_PARQUET=OFF")
if(PARITY_PARQUET)
  parity_find_parquet(_missing)
endif()
if(_missing STREQUAL "")
  set(PARITY_PARQUET_FOUND TRUE)
  message(STATUS "Parquet: parity-train reads it with Apache Arrow")
elseif(PARITY_PARQUET STREQUAL "ON")
  message(FATAL_ERROR "PARITY_PARQUET=ON, but ${_missing}; "
    "let the build set up its own environment, or configure with -DPARITY_PARQUET=AUTO")
else()
  message(STATUS "Parquet: parity-train refuses it (${_missing})")
endif()
