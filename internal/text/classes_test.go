package text

import "testing"

// The program asks for some classes by number, so the numbers and the names must stay in step.
func TestClassesKnownByNumber(t *testing.T) {
	for name, want := range map[string]Class{
		"url": classURL, "account": classAccount, "strongtag": classStrongTag, "interpreter": classInterpreter,
		"powerword": classPowerWord, "pretextword": classPretextWord, "lead": classLead, "detect": classDetect, "example": classExample,
	} {
		if got, ok := words().classes[name]; !ok || got != want {
			t.Errorf("class %q has number %d (%v), want %d", name, got, ok, want)
		}
	}
}
