#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Shows an equal pair and a buggy one. The buggy case expects its divergence, so both end with status 0.
set -euo pipefail
cd "$(dirname "$0")/.."
for case in examples/attention/attention.yaml examples/attention/bug_sum.yaml; do
  echo "\$ build/release/bin/fpdiff $case"
  build/release/bin/fpdiff "$case"
  echo
done
