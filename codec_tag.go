package ddb

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// options are what may follow the name in a dynamodbav tag.
type options uint16

const (
	omitEmpty options = 1 << iota
	omitEmptyElem
	nullEmpty
	nullEmptyElem
	asString
	binarySet
	numberSet
	stringSet
	unixTime

	anySet = binarySet | numberSet | stringSet
)

// optionNames are the words of the options, in the order of their bits.
var optionNames = []string{
	"omitempty", "omitemptyelem", "nullempty", "nullemptyelem", "string",
	"binaryset", "numberset", "stringset", "unixtime",
}

func (o options) has(any options) bool { return o&any != 0 }

// elem returns the options of the elements of a field with the options o.
func (o options) elem() options {
	var e options
	if o.has(omitEmptyElem) {
		e |= omitEmpty | omitEmptyElem
	}
	if o.has(nullEmptyElem) {
		e |= nullEmpty
	}
	return e
}

// words lists the options that are set.
func (o options) words() []string {
	var words []string
	for i, word := range optionNames {
		if o.has(1 << i) {
			words = append(words, word)
		}
	}
	return words
}

// attributeTag is a dynamodbav tag.
type attributeTag struct {
	name    string
	options options
	unknown []string // words that are no options
}

func parseTag(tag reflect.StructTag) attributeTag {
	words := strings.Split(tag.Get("dynamodbav"), ",")
	t := attributeTag{name: words[0]}
	for _, word := range words[1:] {
		if i := slices.Index(optionNames, word); i >= 0 {
			t.options |= 1 << i
		} else {
			t.unknown = append(t.unknown, word)
		}
	}
	return t
}

// problems returns what is wrong with the tag of a field of type t: what
// package attributevalue would ignore in silence, or trip over with the first
// value.
func (a attributeTag) problems(t reflect.Type) []string {
	var found []string
	for _, word := range a.unknown {
		found = append(found, fmt.Sprintf("unknown option %q; the options are %s", word, strings.Join(optionNames, ", ")))
	}
	for _, pair := range []options{omitEmpty | nullEmpty, omitEmptyElem | nullEmptyElem} {
		if a.options&pair == pair {
			found = append(found, fmt.Sprintf("the options %s contradict each other", strings.Join(pair.words(), " and ")))
		}
	}
	sets := a.options & anySet
	if len(sets.words()) > 1 {
		found = append(found, fmt.Sprintf("the options %s contradict each other", strings.Join(sets.words(), " and ")))
	}
	if t = pointee(t); t == nil || t.Kind() == reflect.Interface || storesItself(t) {
		return found
	}
	if sets != 0 && !slices.Contains([]reflect.Kind{reflect.Slice, reflect.Array, reflect.Map}, t.Kind()) {
		found = append(found, fmt.Sprintf("the option %s is for slices, arrays and maps, not for %s", strings.Join(sets.words(), " "), t))
	}
	if a.options.has(unixTime) && !t.ConvertibleTo(timeType) {
		found = append(found, fmt.Sprintf("the option unixtime is for times, not for %s", t))
	}
	return found
}
