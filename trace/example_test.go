package trace_test

import (
	"fmt"
	"io"
	"os"
	"strings"

	"gauntlet/rawjson"
	"gauntlet/trace"
)

func ExampleRecorder() {
	w, err := trace.NewWriter(os.Stdout, "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	secrets := strings.NewReplacer("hunter2", "[PASSWORD]")
	r := trace.NewRecorder(w.Write, trace.RecorderOptions{Redact: secrets.Replace})
	for _, m := range []trace.Message{
		{Server: "files", Direction: trace.ToServer, Kind: trace.Request, ID: "1", Method: "tools/list", Raw: `{"id":1,"method":"tools/list"}`},
		{Server: "files", Direction: trace.ToClient, Kind: trace.Response, ID: "1", Raw: `{"id":1,"result":"hunter2"}`},
	} {
		if _, err := r.Record(m); err != nil {
			fmt.Println(err)
		}
	}
	if err := w.End(trace.End{}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"format":"gauntlet-trace","version":"1.1","tool":"example"}
	// {"seq":1,"server":"files","direction":"to_server","kind":"request","id":"1","method":"tools/list","raw":"{\"id\":1,\"method\":\"tools/list\"}"}
	// {"seq":2,"server":"files","direction":"to_client","kind":"response","id":"1","method":"tools/list","reply_to":1,"redacted":true,"raw":"{\"id\":1,\"result\":\"[PASSWORD]\"}"}
	// {"end":{"messages":2}}
}

func ExampleReader() {
	r, err := trace.NewReader(strings.NewReader(`{"format":"gauntlet-trace","version":"1.0","tool":"example"}
{"seq":1,"direction":"to_server","kind":"request","id":"1","method":"tools/call","raw":"{\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"add\"}}"}
`), trace.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	var tree rawjson.Tree
	for {
		m, err := r.Next()
		if err == io.EOF {
			return
		}
		if err != nil {
			fmt.Println(err) // one bad line; the next call goes on behind it
			continue
		}
		content, err := m.Content(&tree)
		fmt.Println(m.Seq, m.Method, content.Get("name").Text(), err)
	}
	// Output: 1 tools/call add <nil>
}
