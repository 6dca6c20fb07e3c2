package attackdoc

import (
	"strings"

	"gauntlet/internal/leaf/agui"
	"gauntlet/oatf"
)

// Prompt returns the user's text in a document: the messages of role user of its first AG-UI actor that has any, one paragraph
// each; or "".
func Prompt(doc *oatf.Document) string {
	for i := range doc.Attack.Execution.Actors {
		a := &doc.Attack.Execution.Actors[i]
		if a.Mode != "ag_ui_client" {
			continue
		}
		var said []string
		for p := range a.Phases {
			for _, m := range a.Phases[p].State.Get("run_agent_input").Get("messages").Elements() {
				if text := agui.SaidIn(m.Get("content")); m.Get("role").Is("user") && text != "" {
					said = append(said, text)
				}
			}
		}
		if said != nil {
			return strings.Join(said, "\n\n")
		}
	}
	return ""
}
