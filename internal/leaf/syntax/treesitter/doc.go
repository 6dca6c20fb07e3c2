// Package treesitter is the tree-sitter parser with the grammars of Python, JavaScript, TypeScript and TSX, translated from C to Go
// by generate.sh. Use it through package syntax.
package treesitter
