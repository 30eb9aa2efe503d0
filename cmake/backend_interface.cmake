# SPDX-License-Identifier: Apache-2.0
# The number of the interface between programs and the compiler's backend, as a header: a hash of the files that say
# what crosses it, which are ROOTS and all that these include. Programs refuse a backend with another number.
# cmake -D SOURCE=FOLDER -D OUT=HEADER -D DEPENDENCIES=FILE -P backend_interface.cmake
# DEPENDENCIES: written for the build tool, which makes the header again when one of the files changes.
cmake_minimum_required(VERSION 3.22)
set(ROOTS compiler/compiler.h  # what is called, with which options
          compiler/tileir/tir.h # what is behind a program
          compiler/ptx/ptx.h)

include(${CMAKE_CURRENT_LIST_DIR}/header_closure.cmake)
header_closure(FILES ${SOURCE} ${ROOTS})
list(SORT FILES)
set(HASHES)
set(PATHS)
foreach(FILE ${FILES})
  file(SHA256 ${SOURCE}/${FILE} HASH)
  string(APPEND HASHES "${FILE} ${HASH}\n")
  string(REPLACE " " "\\ " PATH "${SOURCE}/${FILE}")
  string(APPEND PATHS " ${PATH}")
endforeach()
string(SHA256 HASH "${HASHES}")
string(SUBSTRING ${HASH} 0 8 NUMBER)
file(WRITE ${OUT} "// Made by cmake/backend_interface.cmake.\n#define COMPILER_BACKEND_INTERFACE UINT32_C(0x${NUMBER})\n")
string(REPLACE " " "\\ " TARGET "${OUT}")
file(WRITE ${DEPENDENCIES} "${TARGET}:${PATHS}\n")
