package attacka2a

// Schema of what a model may write as the answer to a message (§6 of A2A 0.3), without members that no attack needs: a task or a
// message. It is wrapped in a member, since not every provider accepts alternatives at the top of a schema.
const (
	textPart = `{"type":"object","properties":{"kind":{"const":"text"},"text":{"type":"string"}},"required":["kind","text"],"additionalProperties":false}`
	dataPart = `{"type":"object","properties":{"kind":{"const":"data"},"data":{"type":"object"}},"required":["kind","data"],"additionalProperties":false}`
	parts    = `{"type":"array","minItems":1,"items":{"anyOf":[` + textPart + `,` + dataPart + `]}}`

	messageForm = `{"type":"object","properties":{"kind":{"const":"message"},"role":{"const":"agent"},"messageId":{"type":"string"},"contextId":{"type":"string"},"taskId":{"type":"string"},"parts":` + parts + `},"required":["kind","role","messageId","parts"],"additionalProperties":false}`
	statusForm  = `{"type":"object","properties":{"state":{"enum":["submitted","working","input-required","completed","canceled","failed","rejected","auth-required"]},"message":` + messageForm + `},"required":["state"],"additionalProperties":false}`
	taskForm    = `{"type":"object","properties":{"kind":{"const":"task"},"id":{"type":"string"},"contextId":{"type":"string"},"status":` + statusForm + `,"artifacts":{"type":"array","items":{"type":"object","properties":{"artifactId":{"type":"string"},"name":{"type":"string"},"parts":` + parts + `},"required":["artifactId","parts"],"additionalProperties":false}}},"required":["kind","id","contextId","status"],"additionalProperties":false}`
	answerForm  = `{"type":"object","properties":{"answer":{"anyOf":[` + taskForm + `,` + messageForm + `]}},"required":["answer"],"additionalProperties":false}`
)
