#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds packages for the Debian that this is, from packaging/debian: build/deb/*.deb. lintian must have nothing to say of them.
set -eu
cd "$(dirname "$0")/.."
version=$(sed -n 's/^project(congruent VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
date=$(sed -n "s/^## $version (\([0-9-]*\))\$/\1/p" CHANGELOG.md)
maintainer=$(sed -n 's/^Maintainer: //p' packaging/debian/control)
tree=build/deb/congruent-$version
rm -rf build/deb
mkdir -p "$tree"
tar -c --exclude-vcs --exclude=./build --exclude=./tests --exclude=./bench --exclude=./verdicts --exclude='./.*' . | tar -x -C "$tree"
cp -R packaging/debian "$tree/debian"
cat >"$tree/debian/changelog" <<EOF
congruent ($version) unstable; urgency=medium

  * Version $version; what is new is in CHANGELOG.md.

 -- $maintainer  $(date -R -u -d "$date")
EOF
unset CFLAGS CXXFLAGS LDFLAGS CPPFLAGS # Debian has its own
(cd "$tree" && DEB_BUILD_OPTIONS="parallel=${JOBS:-$(nproc)} noautodbgsym nocheck" dpkg-buildpackage -b -us -uc >../build.log 2>&1) || {
    tail -50 build/deb/build.log >&2
    exit 1
}
rm -rf "$tree"
lintian --allow-root --fail-on error,warning build/deb/*.changes
ls -l build/deb/*.deb
