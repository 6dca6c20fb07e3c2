package sourceflow

import (
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/sink"
)

var _ = register(check.Check{
	ID: "MCP-S-006", Name: "path-traversal", Severity: finding.Medium, Maturity: check.Experimental, Needs: check.Sources,
	Taxonomy: "MCP05:2025 close, ASI05 weak, CWE-22 exact, L3 close, L4 weak",
	Axis:     "path-traversal", Source: "https://cwe.mitre.org/data/definitions/22.html",
	Doc: `A tool's parameter becomes the path of a file that is read or written, and nothing confines it to a directory.
With ../ or an absolute path, the caller reaches every file that the server's user can access.

The finding shows the path of the value through the code and says what is missing. A file path counts as
guarded where it is resolved first and then compared with a directory: by a prefix that ends with a separator,
by the relative path between the two, or by a function that refuses what lies outside. It also counts where
the path is reduced to one file name, and where a pattern or a list excludes separators and "..". It does not
count where the prefix lacks its separator (/data-other passes for /data), where the comparison comes before
".." is resolved, where only some paths are refused, or where the same function catches the error that refuses
the path.

An argument of another program counts as a path where that program is known to open or change it: the arguments of cat, head, rm,
cp, ffmpeg and some others, and the values of options such as "git -C", "tar -f" and "curl -o". Where the program only lists names,
or only works on what is a repository, the severity is low. Other programs, and what follows the subcommands of git or kubectl, do not count.

Not judged: whether symbolic links are resolved. Not reported: files next to the program, temporary files,
tests whether a file exists, and values whose path through the code could not be followed.`,
	Advice: "Resolve the path, including symbolic links, and refuse it unless it lies in a directory that the user chose. Compare it with the directory followed by a separator.",
	Run: func(p *check.Pass) {
		reportFlows(p, func(f sink.Flow) finding.Severity {
			if f.Kind == sink.LinkFlow || showsLittle[f.About] {
				return finding.Low
			}
			return finding.None
		}, map[sink.FlowKind]string{sink.PathFlow: "the path of a file", sink.LinkFlow: "the path of a file"})
	},
})

// showsLittle are programs that tell names and sizes of the files at a path, or open it only where it holds a repository.
var showsLittle = map[string]bool{"ls": true, "tree": true, "du": true, "find": true, "git": true}
