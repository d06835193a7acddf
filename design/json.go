package design

import (
	"bytes"
	"encoding/json"
)

// indented writes a value as JSON to be read and compared by people: indented,
// with a newline at the end, and with characters such as < as they are.
func indented(v any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(v)
	return out.Bytes(), err
}
