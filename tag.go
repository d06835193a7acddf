package ddb

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// marker is a blank Entity or Index field with its tag.
type marker struct {
	typ  reflect.Type
	tag  string
	word map[string]string
}

// markers finds the Entity and Index fields of a struct, embedded ones too.
func markers(typ reflect.Type, fault func(tag, problem string)) []marker {
	var found []marker
	for sf := range fieldsOf(typ) {
		if sf.Type == entityType || sf.Type == indexType {
			words, err := tagWords(string(sf.Tag))
			if err != nil {
				fault(string(sf.Tag), err.Error())
			}
			for _, w := range words {
				if !slices.Contains([]string{"name", "pk", "sk"}, w[0]) {
					fault(string(sf.Tag), fmt.Sprintf("unknown word %q; ddb.%s takes name, pk and sk", w[0], sf.Type.Name()))
				}
			}
			m := marker{typ: sf.Type, tag: string(sf.Tag), word: make(map[string]string)}
			for _, w := range words {
				m.word[w[0]] = w[1]
			}
			found = append(found, m)
		} else if sf.Anonymous && indirect(sf.Type).Kind() == reflect.Struct {
			found = append(found, markers(indirect(sf.Type), fault)...)
		}
	}
	return found
}

// tagWords splits a struct tag into its key:"value" pairs. reflect.StructTag
// only looks up keys one knows; a misspelt one would go unseen.
func tagWords(tag string) ([][2]string, error) {
	var words [][2]string
	rest := strings.TrimSpace(tag)
	for rest != "" {
		name, tail, ok := strings.Cut(rest, `:"`)
		end := strings.IndexByte(tail, '"')
		if !ok || end < 0 || strings.ContainsAny(name, " \"") {
			return words, fmt.Errorf(`is not a row of word:"text" pairs at %q`, rest)
		}
		words = append(words, [2]string{name, tail[:end]})
		rest = strings.TrimSpace(tail[end+1:])
	}
	return words, nil
}
