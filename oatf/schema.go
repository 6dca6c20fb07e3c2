package oatf

import _ "embed"

//go:embed schema.json
var schema string

// Schema returns the JSON Schema (draft 2020-12) of documents, for editors. It accepts
// every document without errors and refuses what a schema can know to be wrong; for names
// that must differ or exist, the order of phases and the languages inside strings there is
// [Validate].
func Schema() string { return schema }
