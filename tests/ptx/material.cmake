# SPDX-License-Identifier: Apache-2.0
# Unpacks what tests of PTX read: NAME.tar.zst of tests/ptx into ${CMAKE_BINARY_DIR}/tests/ptx/NAME, again where it changed.
# README.md says what is in them and what makes them.
# unpack_ptx(NAME TARGET)
function(unpack_ptx NAME TARGET)
  set(PACKED ${CMAKE_CURRENT_SOURCE_DIR}/${NAME}.tar.zst)
  set(STAMP ${CMAKE_CURRENT_BINARY_DIR}/${NAME}.unpacked)
  add_custom_command(OUTPUT ${STAMP}
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${NAME}
    COMMAND ${CMAKE_COMMAND} -E tar xf ${PACKED}
    COMMAND ${CMAKE_COMMAND} -E touch ${STAMP}
    DEPENDS ${PACKED} WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR} COMMENT "Unpacking tests/ptx/${NAME}.tar.zst")
  add_custom_target(ptx_${TARGET} ALL DEPENDS ${STAMP})
endfunction()

unpack_ptx(corpus corpus)
unpack_ptx(oracle oracle_cases)
unpack_ptx(ieee ieee_cases)
