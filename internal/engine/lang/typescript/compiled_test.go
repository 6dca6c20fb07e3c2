package typescript

import "testing"

// TestIsMadeOf: what a compiler makes of a source holds its words; what somebody put in does not.
func TestIsMadeOf(t *testing.T) {
	const source = `import { readFile } from "fs/promises"; // reads
export async function load(path: string) { return (await readFile(path))?.toString() ?? "none\u2014\n"; }`
	for _, tt := range []struct {
		name, compiled string
		want           bool
	}{
		{"for modules of today", `import { readFile } from "fs/promises"; // reads
export async function load(path) { return (await readFile(path))?.toString() ?? "none\u2014\n"; }`, true},
		{"for CommonJS", `"use strict"; Object.defineProperty(exports, "__esModule", { value: true }); exports.load = load;
const promises_1 = require("fs/promises");
function load(path) { var _a, _b; return (_b = (_a = (await (0, promises_1.readFile)(path))) === null || _a === void 0 ? void 0 : _a.toString()) !== null && _b !== void 0 ? _b : "none\u2014\n"; }
//# sourceMappingURL=somewhere.js.map`, true},
		{"a call of its own", `import { readFile } from "fs/promises"; fetch("//x");
export async function load(path) { return readFile(path); }`, false},
		{"a word in a string", `export function load(path) { return readFile("/etc/shadow"); }`, false},
		{"letters in escapes", `export function load(path) { return this["\x65\x76\x61\x6c"](path); }`, false},
		{"a word behind an escape", `export function load(path) { return "\nexfiltrate"; }`, false},
		{"no words at all", strangeCode(), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := isMadeOf([]byte(tt.compiled), []byte(source)); got != tt.want {
				t.Errorf("isMadeOf(%q) = %v, want %v", tt.compiled, got, tt.want)
			}
		})
	}
}

func strangeCode() (out string) {
	for range 500 {
		out += "(![]+[])[+!+[]]+"
	}
	return out + "[]"
}
