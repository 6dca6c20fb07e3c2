#!/usr/bin/env bash
# Translates tree-sitter and its grammars, in the versions below, into grammars.go and grammars.dat:
# C to WebAssembly with clang, WebAssembly to Go with wasm2go. Needs clang, wasm-ld, wasi-libc and
# the wasm32 builtins of clang (Debian: clang lld wasi-libc libclang-rt-14-dev-wasm32).
set -euo pipefail
cd "$(dirname "$0")"
core=github.com/tree-sitter/go-tree-sitter@v0.25.0
grammars=(
  github.com/tree-sitter/tree-sitter-python@v0.25.0:src
  github.com/tree-sitter/tree-sitter-javascript@v0.25.0:src
  github.com/tree-sitter/tree-sitter-typescript@v0.23.2:typescript/src
  github.com/tree-sitter/tree-sitter-typescript@v0.23.2:tsx/src
)
translator=github.com/ncruces/wasm2go@v0.4.19

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sources() { (cd "$work" && go mod download -json "$1" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p'); }
compile() { clang --target=wasm32-wasi -Oz -DNDEBUG "$@"; }

dir=$(sources "$core")
# endian.h knows no wasm32; WebAssembly is little-endian.
core_flags=(-D_DEFAULT_SOURCE -D__EMSCRIPTEN__ '-Dle16toh(x)=(x)' '-Dbe16toh(x)=__builtin_bswap16(x)' -I"$dir/include" -I"$dir/src")
compile "${core_flags[@]}" -c "$dir/src/lib.c" -o "$work/lib.o"
compile "${core_flags[@]}" -O2 -Wall -c wasm/parse.c -o "$work/parse.o"
for g in "${grammars[@]}"; do
  dir=$(sources "${g%%:*}")/${g##*:}
  name=$(echo "$g" | tr -c 'a-z\n' _)
  compile -I"$dir" -c "$dir/parser.c" -o "$work/$name.parser.o"
  compile -I"$dir" -c "$dir/scanner.c" -o "$work/$name.scanner.o"
done
# Stack first: an overflow runs into address zero and traps, and does not write over the tables.
clang --target=wasm32-wasi -mexec-model=reactor "$work"/*.o \
  -Wl,--strip-all,--stack-first,-z,stack-size=1048576,--max-memory=1073741824 -o "$work/grammars.wasm"
go run "$translator" -embed -pkg treesitter -o grammars.go "$work/grammars.wasm"
# A machine serves one goroutine at a time; the race detector would only make it ten times slower.
sed -i 's#^func #//go:norace\n&#' grammars.go
gofmt -w grammars.go
