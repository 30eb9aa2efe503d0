#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what building and testing needs, as far as it is missing: setup.sh [--ci|--fuzz|--package|--python]
# Debian 12: through apt-get, with sudo when not root. Elsewhere: names what is missing and stops.
set -euo pipefail

# package and a command that succeeds where it is there already, on any system
needs=(
  "gcc|command -v gcc"
  "g++|command -v g++"
  "cmake|command -v cmake"
  "ninja-build|command -v ninja"
  "pkg-config|command -v pkg-config"
  "llvm-22-dev|command -v llvm-config-22 || test -x /usr/lib/llvm-22/bin/llvm-config"
  "libyaml-dev|pkg-config --exists yaml-0.1"
  "libjansson-dev|pkg-config --exists jansson"
  "libcriterion-dev|pkg-config --exists criterion"
  "libxxhash-dev|pkg-config --exists libxxhash"
  "zlib1g-dev|pkg-config --exists zlib"
  "libmpfr-dev|test -e /usr/include/mpfr.h || pkg-config --exists mpfr"
)
if [ "${1:-}" = --ci ]; then # warnings of a second compiler; what checks man pages and completions; a locale of commas
  needs+=("clang-22|command -v clang-22" "locales|test -e /usr/share/i18n/locales/de_DE"
          "groff|command -v groff" "man-db|command -v man" "mandoc|command -v mandoc" "zsh|command -v zsh" "fish|command -v fish")
fi
if [ "${1:-}" = --ci ] || [ "${1:-}" = --package ]; then # wheels and packages of Debian, which have all libraries inside
  needs+=("build-essential|dpkg -s build-essential" "libzstd-dev|pkg-config --exists libzstd"
          "dpkg-dev|command -v dpkg-buildpackage" "debhelper|command -v dh" "lintian|command -v lintian"
          "binutils|command -v readelf")
fi
if [ "${1:-}" = --ci ] || [ "${1:-}" = --package ] || [ "${1:-}" = --python ]; then # for scripts/venv.sh
  needs+=("python3|command -v python3" "python3-venv|python3 -c 'import venv, ensurepip'")
fi
if [ "${1:-}" = --fuzz ]; then # libFuzzer
  needs+=("clang-22|command -v clang-22"
          "libclang-rt-22-dev|test -e \"$(clang-22 --print-resource-dir)\"/lib/linux/libclang_rt.fuzzer-$(uname -m).a")
fi

missing=()
for need in "${needs[@]}"; do
  if ! bash -c "${need#*|}" >/dev/null 2>&1; then missing+=("${need%%|*}"); fi
done
if [ ${#missing[@]} -eq 0 ]; then exit 0; fi

system=unknown
if [ -r /etc/os-release ]; then system=$(. /etc/os-release && echo "${ID:-unknown} ${VERSION_ID:-}"); fi
if [ "$system" != "debian 12" ]; then
  echo "setup: this is not Debian 12 but $system. Install these (their Debian names), then try again:" >&2
  echo "  ${missing[*]}" >&2
  exit 1
fi

sudo=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "setup: run as root, or install sudo; to be installed: ${missing[*]}" >&2
    exit 1
  fi
  sudo=(sudo)
fi
echo "setup: installing ${missing[*]}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() { "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y "$@" >>"$log" 2>&1; }
if ! { apt update && apt install --no-install-recommends "${missing[@]}"; }; then
  cat "$log" >&2
  echo "setup: apt-get could not install ${missing[*]}" >&2
  if ! apt-cache show llvm-22-dev >/dev/null 2>&1; then
    echo "setup: apt does not know llvm-22-dev; Debian 12 has it in the suite bookworm-security, which belongs into its sources" >&2
  fi
  exit 1
fi
