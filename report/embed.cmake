# SPDX-License-Identifier: Apache-2.0
# Makes C of files: cmake -DOUT=FILE.c -DNAMES=a,b -Da=FILE,FILE -Db=FILE -P embed.cmake. Each name is an array of the bytes
# of its files, one after the other, with a zero byte at the end.
file(WRITE ${OUT}.new "// Made by report/embed.cmake.\n#include \"report/page.h\"\n")
string(REPLACE "," ";" NAMES "${NAMES}")
foreach(NAME ${NAMES})
  set(HEX "")
  string(REPLACE "," ";" FILES "${${NAME}}")
  foreach(FILE ${FILES})
    file(READ ${FILE} BYTES HEX)
    string(APPEND HEX ${BYTES})
  endforeach()
  string(REGEX REPLACE "(................................)" "\\1\n" HEX "${HEX}00")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," HEX "${HEX}")
  file(APPEND ${OUT}.new "const char ${NAME}[] = {\n${HEX}};\n")
endforeach()
file(RENAME ${OUT}.new ${OUT})
