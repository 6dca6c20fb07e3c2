package posture

import (
	"strings"

	"gauntlet/rawjson"
)

// serverTraits reads an item of the server about itself: its instructions, its name or its identity (an Implementation
// object, or a snapshot's "server" object, which may wrap one in serverInfo and hold the capabilities).
func serverTraits(label string, v rawjson.Value) serverTrait {
	if v.Kind() == rawjson.String {
		if label != "instructions" || strings.TrimSpace(v.Text()) == "" {
			return 0
		}
		return instructions
	}
	var traits serverTrait
	for _, id := range [...]rawjson.Value{v, v.Get("serverInfo")} {
		if id.Get("name").Text() != "" {
			traits |= identity
		}
		if id.Get("version").Text() != "" {
			traits |= version
		}
	}
	return traits | capabilityTraits(v.Get("capabilities"))
}

// capabilityTraits reads a ServerCapabilities object.
func capabilityTraits(caps rawjson.Value) (traits serverTrait) {
	if caps.Kind() == rawjson.Object {
		traits |= capabilities
	}
	for c := range caps.Members() {
		if on, _ := c.Value.Get("listChanged").Bool(); on {
			traits |= listChanged
		}
	}
	return traits
}
