// Package treesitter is the parser tree-sitter with the grammars of Python, JavaScript, TypeScript and
// TSX, translated from C to Go by generate.sh. Use it through the package syntax.
package treesitter
