#!/usr/bin/env bash
# Builds the page into web/dist: the crate for wasm32, its JavaScript by wasm-bindgen, and the files of web/page.
set -euo pipefail
cd "$(dirname "$0")"
target="${CARGO_TARGET_DIR:-$PWD/target}"

if command -v rustup >/dev/null; then rustup target add wasm32-unknown-unknown >/dev/null 2>&1 || true; fi
# A browser gives a stack of 1 MiB; deep texts of kernels take more.
RUSTFLAGS="${RUSTFLAGS:-} -C link-arg=-zstack-size=4194304" \
  cargo build --release --locked --target wasm32-unknown-unknown --target-dir "$target"

# Both halves of wasm-bindgen must be of one version.
version=$(sed -n '/^name = "wasm-bindgen"$/{n;s/version = "\(.*\)"/\1/p}' Cargo.lock)
PATH="$target/tools/bin:$PATH"
if [ "$(wasm-bindgen --version 2>/dev/null)" != "wasm-bindgen $version" ]; then
  cargo install wasm-bindgen-cli --version "$version" --root "$target/tools" --target-dir "$target/tools/build"
fi
rm -rf dist
wasm-bindgen --target web --no-typescript --out-dir dist "$target/wasm32-unknown-unknown/release/crosslane_web.wasm"
cp page/* dist/
ls -l dist
