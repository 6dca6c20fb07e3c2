// Usage: node validate-pages.mjs FOLDER FILE...
// Validates pages with the html-validate that npm installed in FOLDER.
import { createRequire } from "node:module";
import { resolve } from "node:path";
const [folder, ...files] = process.argv.slice(2);
const { HtmlValidate } = createRequire(resolve(folder, "x.js"))("html-validate");
const validator = new HtmlValidate({ root: true, extends: ["html-validate:recommended"] });
let wrong = 0;
for (const file of files) {
  const report = await validator.validateFile(file);
  for (const result of report.results) {
    for (const m of result.messages) {
      wrong++;
      console.log(`${file}:${m.line}:${m.column}: ${m.ruleId}: ${m.message}`);
    }
  }
}
console.log(`${files.length} pages, ${wrong} messages`);
process.exit(wrong ? 1 : 0);
