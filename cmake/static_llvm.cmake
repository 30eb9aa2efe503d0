# SPDX-License-Identifier: Apache-2.0
# With CONGRUENT_STATIC: the target `llvm` is the archives of what the backend calls, for x86, AArch64 and NVPTX only.
set(LLVM_COMPONENTS analysis bitreader core linker orcjit passes x86 aarch64 nvptx)
execute_process(COMMAND ${LLVM_CONFIG} --link-static --libfiles ${LLVM_COMPONENTS} OUTPUT_VARIABLE LLVM_ARCHIVES
                OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libstdc++.a OUTPUT_VARIABLE CXX_ARCHIVE
                OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(LLVM_ARCHIVES)
find_library(ZSTD_ARCHIVE libzstd.a REQUIRED)
find_library(ZLIB_ARCHIVE libz.a REQUIRED)
target_link_libraries(llvm INTERFACE ${LLVM_ARCHIVES} ${ZSTD_ARCHIVE} ${ZLIB_ARCHIVE} ${CXX_ARCHIVE} m)
target_link_options(llvm INTERFACE -static-libgcc -Wl,--gc-sections)
