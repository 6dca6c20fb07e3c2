// Command mock is an MCP server on stdio for the tests of gauntlet: mock ADDRESS NAME. It
// connects to the address and waits for a line from there before it answers anything. The
// connection ends with the process.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"strings"
)

func main() { os.Exit(mock(os.Args[1])) }

func mock(gate string) int {
	c, err := net.Dial("tcp", gate)
	if err != nil {
		return 1
	}
	defer c.Close()
	if _, err := bufio.NewReader(c).ReadString('\n'); err != nil {
		return 1
	}
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var q struct {
			ID     json.RawMessage
			Method string
		}
		if json.Unmarshal(in.Bytes(), &q) != nil || q.ID == nil {
			continue
		}
		text := `"error":{"code":-32601,"message":"no"}`
		switch q.Method {
		case "initialize":
			text = fmt.Sprintf(`"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"mock %s","version":"1"}}`, os.Args[2])
		case "tools/list":
			text = `"result":{"tools":[` + mockTools(os.Args[2]) + `]}`
		}
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,%s}`+"\n", q.ID, text)
	}
	return 0
}

// mockTools are 20 tools of some 600 bytes, which is an ordinary server.
func mockTools(of string) string {
	var tools []string
	for i := range 20 {
		tools = append(tools, fmt.Sprintf(`{"name":"server_%s_tool_%d","description":%q,"inputSchema":{"type":"object","properties":{"id":{"type":"string"}}},"annotations":{"readOnlyHint":true}}`,
			of, i, strings.Repeat("Returns the fields of one item. ", 16)))
	}
	return strings.Join(tools, ",")
}
