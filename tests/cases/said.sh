# SPDX-License-Identifier: Apache-2.0
# Sourced by what compares what is said of a case with CASE.txt, run as SCRIPT FPDIFF CASE.txt: goes to the folder of the
# case, and makes a folder for the reports.
set -u
fpdiff=$1
cd "$(dirname "$2")" || exit 1
expected=$(basename "$2")
case=${expected%.txt}.yaml
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
