package av

import (
	"encoding/base64"
	"strings"
)

// Print returns the value as the service prints it in messages:
// {S:x}, {N:5}, {L:[{S:a}]}.
func (v Value) Print() string {
	var b strings.Builder
	v.print(&b)
	return b.String()
}

func (v Value) print(b *strings.Builder) {
	b.WriteString("{" + v.kind.String() + ":")
	switch v.kind {
	case S, N:
		b.WriteString(v.text)
	case B:
		b.WriteString(inBase64(v.text))
	case BOOL:
		if v.flag {
			b.WriteString("true")
		} else {
			b.WriteString("false")
		}
	case NULL:
		b.WriteString("true")
	case SS, NS:
		b.WriteString(bare(v.sub.set))
	case BS:
		b.WriteString(bare(allInBase64(v.sub.set)))
	case L:
		b.WriteByte('[')
		for i, e := range v.sub.list {
			if i > 0 {
				b.WriteString(", ")
			}
			e.print(b)
		}
		b.WriteByte(']')
	case M:
		b.WriteByte('{')
		for i, a := range v.sub.attr {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(a.Name + "=")
			a.Value.print(b)
		}
		b.WriteByte('}')
	}
	b.WriteByte('}')
}

func inBase64(raw string) string { return base64.StdEncoding.EncodeToString([]byte(raw)) }

func allInBase64(raw []string) []string {
	out := make([]string, len(raw))
	for i, r := range raw {
		out[i] = inBase64(r)
	}
	return out
}
