package ddb

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// marker is a blank Entity or Index field with its tag.
type marker struct {
	typ  reflect.Type
	tag  string
	word map[string]string
}

// markerWords are what a tag of a marker can say.
var markerWords = []string{"name", "pk", "sk"}

// nearestWord suggests the word that was probably meant.
func nearestWord(word string) string {
	for _, w := range markerWords {
		if strings.EqualFold(word, w) {
			return fmt.Sprintf("; did you mean %s?", w)
		}
	}
	return ""
}

// markers finds the Entity and Index fields of a struct, those of embedded
// structs too. around are the structs in which typ is embedded; one that embeds
// itself has nothing further to tell.
func markers(typ reflect.Type, around []reflect.Type, fault func(tag, problem string)) []marker {
	if slices.Contains(around, typ) {
		return nil
	}
	around = append(around[:len(around):len(around)], typ)
	var found []marker
	for sf := range fieldsOf(typ) {
		if sf.Type == entityType || sf.Type == indexType {
			m := marker{typ: sf.Type, tag: string(sf.Tag), word: make(map[string]string)}
			words, err := tagWords(m.tag)
			if err != nil {
				fault(m.tag, err.Error())
			}
			for _, w := range words {
				_, twice := m.word[w[0]]
				switch known := slices.Contains(markerWords, w[0]); {
				case !known:
					fault(m.tag, fmt.Sprintf("unknown word %q; ddb.%s takes name, pk and sk%s", w[0], sf.Type.Name(), nearestWord(w[0])))
				case twice:
					fault(m.tag, fmt.Sprintf("says %s twice", w[0]))
				}
				m.word[w[0]] = w[1]
			}
			found = append(found, m)
		} else if sf.Anonymous && indirect(sf.Type).Kind() == reflect.Struct {
			found = append(found, markers(indirect(sf.Type), around, fault)...)
		}
	}
	return found
}

// tagWords splits a struct tag into its key:"value" pairs, texts being written as in
// Go. reflect.StructTag
// only looks up keys one knows; a misspelt one would go unseen.
func tagWords(tag string) ([][2]string, error) {
	var words [][2]string
	if !utf8.ValidString(tag) { // Unquote would mend it in silence
		return nil, errors.New("is not valid UTF-8")
	}
	rest := strings.TrimSpace(tag)
	for rest != "" {
		name, tail, ok := strings.Cut(rest, ":")
		quoted, err := strconv.QuotedPrefix(tail)
		if !ok || err != nil || quoted[0] != '"' || strings.ContainsAny(name, " \"") {
			return words, fmt.Errorf(`is not a row of word:"text" pairs at %q`, rest)
		}
		text, err := strconv.Unquote(quoted)
		if err != nil {
			return words, fmt.Errorf("says %s, which is no text", quoted)
		}
		words = append(words, [2]string{name, text})
		rest = strings.TrimSpace(tail[len(quoted):])
	}
	return words, nil
}
