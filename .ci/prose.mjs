// Reads the pages that people write with write-good, and with the phrases below; prints what it
// finds and exits 1 if that is anything. Usage: node prose.mjs FOLDER_WITH_NODE_MODULES FILE...
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const [folder, ...files] = process.argv.slice(2);
const writeGood = createRequire(join(folder, "package.json"))("write-good");

// Turns that no English writer would use, each found here once, and what reads better.
const phrases = {
  "what is none": "say what is missing",
  "comes to the same": "is equivalent",
  "nobody said": "is not stated",
  "outside of": "outside",
  "in terms of": "by",
  "a number of": "say how many, or some",
  "nevertheless": "still",
  "therefore": "so",
  "it is to be noted": "leave it out",
  "in order to": "to",
  "the whole of": "all",
};

// What stands in code, tables, links and quotations is no prose; its place stays, so that lines keep their numbers.
const blank = (text) => text.replace(/[^\n]/g, " ");
const prose = (text) =>
  text
    .replace(/^```[\s\S]*?^```/gm, blank)
    .replace(/^ {4,}.*$/gm, blank)
    .replace(/^\|.*$/gm, blank)
    .replace(/`[^`\n]*`/g, (m) => "x".repeat(m.length))
    .replace(/\]\([^)]*\)/g, blank)
    .replace(/^#+ .*$/gm, (m) => m.slice(0, -1) + ".");

let found = 0;
for (const file of files) {
  const text = prose(readFileSync(file, "utf8"));
  const say = (index, message) => {
    found++;
    console.log(`${file}:${text.slice(0, index).split("\n").length}: ${message}`);
  };
  const checks = { passive: false, adverb: false, tooWordy: false, weasel: false, eprime: false };
  for (const { index, reason } of writeGood(text, checks)) {
    // Code became x, which may well stand twice.
    if (!/^"x+\W*" is repeated/.test(reason)) say(index, reason);
  }
  for (const [phrase, better] of Object.entries(phrases)) {
    const at = text.toLowerCase().search(new RegExp(`\\b${phrase.replace(/ /g, "\\s+")}\\b`));
    if (at >= 0) say(at, `"${phrase}": ${better}`);
  }
}
process.exit(found ? 1 : 0);
