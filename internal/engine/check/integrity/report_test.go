package integrity

import "testing"

func TestChanged(t *testing.T) {
	for _, tt := range []struct{ name, old, new, want string }{
		{"a word replaced", "Adds a note.", "Adds a file.", "file."},
		{"words added at the end", "Adds.", "Adds. And sends.", "Adds. And sends."},
		{"words added in front", "Adds.", "First sends. Adds.", "First sends. "},
		{"an invisible character", "Adds a note.", "Adds a\u200b note.", "a\u200b"},
		{"a part of a character", "Café here", "Cafè here", "Cafè"},
		{"words taken away in the middle", "Never sends a note away.", "Never a note away.", "Never a"},
		{"words taken away at the end", "Adds a note. Asks first.", "Adds a note.", "note."},
		{"words taken away in front", "Asks. Adds a note.", "Adds a note.", "Adds"},
		{"all new", "", "Adds.", "Adds."},
		{"nothing left", "Adds.", "", ""},
		{"white space only", "a  b", "a b", "a b"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			start, same := changed(tt.old, tt.new)
			if tt.old[:start] != tt.new[:start] || tt.old[len(tt.old)-same:] != tt.new[len(tt.new)-same:] {
				t.Errorf("changed(%q, %q) = %d, %d: what is said to be alike differs", tt.old, tt.new, start, same)
			}
			if got := tt.new[start : len(tt.new)-same]; got != tt.want {
				t.Errorf("changed(%q, %q) = %q, want %q", tt.old, tt.new, got, tt.want)
			}
		})
	}
}
