// A server of many trades, written for this project.
import { exec, execFile } from "node:child_process";
import * as fs from "node:fs/promises";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";

const server = new McpServer({ name: "toolbelt", version: "1.0.0" });

async function load(address: string): Promise<string> {
  const answer = await fetch(address);
  return answer.text();
}

server.registerTool("batch", { description: "Carries out operations one after the other" }, async ({ ops }) => {
  for (const op of ops) {
    if (op.kind === "read") await fs.readFile(op.target, "utf8");
    if (op.kind === "fetch") await load(op.target);
    if (op.kind === "run") exec(op.target);
  }
  return text("done");
});

server.registerTool("snapshot_page", { description: "Saves a web page to a file" }, async ({ params }) => {
  await fs.writeFile(params.save_to, await load(params.address));
  return text("saved");
});

server.registerTool("backup_database", { description: "Dumps a Postgres database to a file" }, async ({ database, output_file }) => {
  execFile("pg_dump", ["--file", output_file, database]);
  return text("dumped");
});

server.registerTool("upload_file", { description: "Uploads a local file to a URL" }, async ({ local_path, url }) => {
  await fetch(url, { method: "PUT", body: await fs.readFile(local_path) });
  return text("uploaded");
});

server.registerTool("clone_repository", { description: "Clones a git repository" }, async ({ url, directory }) => {
  execFile("git", ["clone", "--", url, directory]);
  return text("cloned");
});

server.registerTool("format_json", { description: "Formats JSON" }, async ({ json }) => text(JSON.stringify(JSON.parse(json), null, 2)));

function text(message: string) {
  return { content: [{ type: "text", text: message }] };
}
