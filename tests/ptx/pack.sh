#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Packs FOLDER/NAME into NAME.tar.zst of TO, or else of tests/ptx, the same bytes for the same files:
# pack.sh FOLDER NAME [TO] (GNU tar, zstd)
set -eu
here=${3:-$(cd "$(dirname "$0")" && pwd)}
tar -C "$1" --sort=name --owner=0 --group=0 --numeric-owner --mode=u+rw,go=r,a+X --mtime=@0 --format=ustar -cf - "$2" |
    zstd -q -f --ultra -22 --long=27 -o "$here/$2.tar.zst"
ls -l "$here/$2.tar.zst" | awk '{print $5, $9}'
