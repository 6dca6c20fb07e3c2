package report

import (
	"bufio"
	"fmt"
	"strings"
)

type junit struct{ w *bufio.Writer }

func (x *junit) printf(format string, args ...any) { _, _ = fmt.Fprintf(x.w, format, args...) }

func (x *junit) suite(name string, c junitCounts, tests []junitTest) {
	x.printf("  <testsuite name=%s tests=\"%d\" failures=\"%d\" errors=\"%d\" skipped=\"%d\">\n", attribute(name), c.tests, c.failures, c.errors, c.skipped)
	for i := range tests {
		x.test(&tests[i])
	}
	x.printf("  </testsuite>\n")
}

func (x *junit) test(t *junitTest) {
	x.printf("    <testcase classname=%s name=%s", attribute(t.class), attribute(t.name))
	if t.file != "" {
		x.printf(" file=%s", attribute(t.file))
	}
	if t.outcome == "" && t.out == "" {
		x.printf("/>\n")
		return
	}
	x.printf(">\n")
	if t.outcome != "" {
		x.printf("      <%s", t.outcome)
		if t.kind != "" {
			x.printf(" type=%s", attribute(t.kind))
		}
		x.printf(" message=%s>%s</%s>\n", attribute(t.message), xmlText.Replace(t.body), t.outcome)
	}
	if t.out != "" {
		x.printf("      <system-out>%s</system-out>\n", xmlText.Replace(t.out))
	}
	x.printf("    </testcase>\n")
}

// xmlText escapes text whose lines are Visible: characters that XML forbids are already gone.
var xmlText = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")

func attribute(s string) string { return `"` + xmlText.Replace(Visible(s)) + `"` }
