#!/usr/bin/env bash
# Builds the page and tests it in headless Chromium: fails if a result is wrong. Needs node and chromium.
set -euo pipefail
cd "$(dirname "$0")"
./build.sh
exec node test/run.mjs dist
