package oatf

// source is the text that a document was read from.
type source struct{}
