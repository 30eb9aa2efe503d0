# SPDX-License-Identifier: Apache-2.0
# cmake --install, in components: programs, library (libcongruent.so), development, documents, and python, which is what the wheel takes.
# All of it finds what it needs from where it lies: the tree may be moved.
set(MANUAL_FOLDER ${CMAKE_BINARY_DIR}/share) # of manual/CMakeLists.txt
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(PRIVATE_LIBDIR lib/congruent) # as compiler/open_backend.c has it
set(INCLUDES ${CMAKE_INSTALL_INCLUDEDIR}/congruent)
set(PACKAGE ${CMAKE_INSTALL_LIBDIR}/cmake/congruent)

# ---- programs ---------------------------------------------------------------------------------------------------------------------------

install(TARGETS fpdiff tileiras RUNTIME COMPONENT programs)
install(TARGETS backend cutile_preload LIBRARY DESTINATION ${PRIVATE_LIBDIR} COMPONENT programs)

# The same beside the modules of Python: files only, since wheels have no links.
install(TARGETS fpdiff tileiras RUNTIME DESTINATION bin COMPONENT python EXCLUDE_FROM_ALL)
install(TARGETS backend cutile_preload LIBRARY DESTINATION ${PRIVATE_LIBDIR} COMPONENT python EXCLUDE_FROM_ALL)
install(PROGRAMS $<TARGET_FILE:congruent> DESTINATION lib RENAME libcongruent.so COMPONENT python EXCLUDE_FROM_ALL)

install(DIRECTORY docs DESTINATION . COMPONENT python EXCLUDE_FROM_ALL FILES_MATCHING PATTERN *.md PATTERN host_abi_example EXCLUDE)

# ---- for programs in C ------------------------------------------------------------------------------------------------------------------

# Tile IR as one archive: the names of its rooms are nobody else's business.
add_library(tileir STATIC $<TARGET_OBJECTS:tir> $<TARGET_OBJECTS:mlir> $<TARGET_OBJECTS:math> $<TARGET_OBJECTS:base>)
set_target_properties(tileir PROPERTIES OUTPUT_NAME congruent_tileir)
target_link_libraries(tileir PUBLIC fpsan)

include(cmake/header_closure.cmake)
# Those of base, and the source host_print.c, are for programs that call what tileiras compiled.
header_closure(HEADERS ${CMAKE_SOURCE_DIR} sanitizer/fpsan.h sanitizer/tower.h sanitizer/fpsan_llvm.h sanitizer/tower_llvm.h compiler/tileir/tir.h
               base/host_abi.h base/host_print.c base/gpu_abi.h)
foreach(HEADER ${HEADERS})
  set_property(DIRECTORY ${CMAKE_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${HEADER})
  get_filename_component(FOLDER ${HEADER} DIRECTORY)
  install(FILES ${HEADER} DESTINATION ${INCLUDES}/${FOLDER} COMPONENT development)
endforeach()
install(FILES api/congruent.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)

# The last ones are for programs that make LLVM IR, and bring their own LLVM.
set(ARCHIVES fpsan fpsan_tower tileir fpsan_llvm fpsan_tower_llvm)
install(TARGETS congruent EXPORT congruent LIBRARY COMPONENT library NAMELINK_COMPONENT development)
target_include_directories(congruent INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
install(TARGETS ${ARCHIVES} EXPORT congruent ARCHIVE COMPONENT development)
foreach(ARCHIVE ${ARCHIVES})
  target_include_directories(${ARCHIVE} INTERFACE $<INSTALL_INTERFACE:${INCLUDES}>)
endforeach()
install(EXPORT congruent NAMESPACE congruent:: FILE congruentTargets.cmake DESTINATION ${PACKAGE} COMPONENT development)
configure_package_config_file(cmake/congruentConfig.cmake.in congruentConfig.cmake INSTALL_DESTINATION ${PACKAGE})
write_basic_package_version_file(congruentConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/congruentConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/congruentConfigVersion.cmake
        DESTINATION ${PACKAGE} COMPONENT development)

# pkg_config(NAME DESCRIPTION INCLUDES LIBS REQUIRES)
file(RELATIVE_PATH PREFIX_OF_PC /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" PREFIX_OF_PC ${PREFIX_OF_PC})
function(pkg_config NAME DESCRIPTION FOLDER LIBS REQUIRES)
  configure_file(cmake/package.pc.in ${NAME}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${NAME}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
endfunction()
pkg_config(congruent "Do two GPU kernels compute the same thing?" ${CMAKE_INSTALL_INCLUDEDIR} "-lcongruent" "")
pkg_config(congruent-fpsan "Payload algebras of floats in scalar C" ${INCLUDES} "-lfpsan_tower -lfpsan -lm -pthread" "")
pkg_config(congruent-tileir "CUDA Tile IR from C" ${INCLUDES} "-lcongruent_tileir -lfpsan -pthread" "")

# ---- documents --------------------------------------------------------------------------------------------------------------------------

install(DIRECTORY ${MANUAL_FOLDER}/ DESTINATION ${CMAKE_INSTALL_DATAROOTDIR} COMPONENT documents)
install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT documents)
install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT documents PATTERN CMakeLists.txt EXCLUDE
        PATTERN __pycache__ EXCLUDE)
