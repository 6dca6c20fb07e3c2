# The low-level form of a server, written for this project.
import sqlite3

import mcp.types as types
from mcp.server import Server

server = Server("shelf-sql")

MANUAL = ["A shelf has boards.", "A board has books."]


@server.list_tools()
async def list_tools() -> list[types.Tool]:
    return [
        types.Tool(name="read_query", description="Execute a SELECT query on the SQLite database.", inputSchema={}),
        types.Tool(name="write_query", description="Execute an INSERT, UPDATE or DELETE on the SQLite database.", inputSchema={}),
        types.Tool(name="search_docs", description="Search the documentation of the database.", inputSchema={}),
    ]


@server.call_tool()
async def call_tool(name: str, arguments: dict) -> list[types.TextContent]:
    if name == "read_query":
        return answer(run(arguments["query"], read_only=True))
    if name == "write_query":
        return answer(run(arguments["query"], read_only=False))
    if name == "search_docs":
        return answer([line for line in MANUAL if arguments["question"] in line])
    raise ValueError("unknown tool: " + name)


def run(statement: str, read_only: bool) -> list:
    db = sqlite3.connect("shelf.db")
    if read_only:
        db.execute("BEGIN READ ONLY")
    return db.execute(statement).fetchall()


def answer(rows: list) -> list[types.TextContent]:
    return [types.TextContent(type="text", text=str(rows))]
