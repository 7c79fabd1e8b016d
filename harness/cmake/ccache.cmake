# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
#
# Compiles through ccache when there is one. The sloppiness lets it see through precompiled headers;
# without base_dir and nohashdir two checkouts would share nothing. Precompiled headers of clang: compile_pch.py.

find_program(PARITY_CCACHE ccache)
if(PARITY_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER
    ${CMAKE_COMMAND} -E env
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
    CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_MAXSIZE=10G
    ${PARITY_CCACHE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # ignored: the path in -Xclang -include -Xclang <header>, which ccache does not make relative
    list(INSERT CMAKE_CXX_COMPILER_LAUNCHER 3 CCACHE_PCH_EXTSUM=1 "CCACHE_IGNOREOPTIONS=${PROJECT_BINARY_DIR}/CMakeFiles/*")
    set(PARITY_PCH_LAUNCHER python3 "${CMAKE_CURRENT_LIST_DIR}/compile_pch.py" "${PROJECT_SOURCE_DIR}")
  endif()
endif()
