import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { readFile, rm } from "node:fs/promises";
import { z } from "zod";

const server = new McpServer({ name: "desk", version: "1.0.0" });

server.registerTool("list_projects", { description: "Lists projects.", inputSchema: {} }, async () => ({
  content: [{ type: "text", text: await readFile("projects.json", "utf8") }],
}));

server.registerTool("get_project", { description: "Gets a project.", inputSchema: { project_id: z.string() } }, async ({ project_id }) => ({
  content: [{ type: "text", text: JSON.parse(await readFile("projects.json", "utf8"))[project_id] }],
}));

server.registerTool("delete_project", { description: "Deletes a project.", inputSchema: { project_id: z.string() } }, async ({ project_id }) => {
  await rm("projects.json");
  return { content: [{ type: "text", text: project_id }] };
});

server.registerTool("fetch_page", { description: "Downloads a web page from a URL.", inputSchema: { url: z.string() } }, async ({ url }) => ({
  content: [{ type: "text", text: await (await fetch(url)).text() }],
}));
