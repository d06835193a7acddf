package wire

import (
	"encoding/base64"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// decoder fills the SDK's request types from a body. It goes on after a member
// of the wrong type, since a fault of the syntax further on would be reported
// instead, and keeps the text for the first of them.
type decoder struct {
	scanner
	names      *names
	strings    []types.AttributeValueMemberS // to be used
	numbers    []types.AttributeValueMemberN
	members    []attribute // of the maps that are being read, the innermost last
	room       [16]attribute
	mismatched string
}

// attribute is an attribute of an item, or a member of a map in one.
type attribute struct {
	name  string
	value types.AttributeValue
}

// decode fills in, a pointer to a struct, from body. It returns errSyntax when
// the body is not one JSON object, and another SerializationException when a
// member has the wrong type; in is of no use then.
func (c *codec) decode(body []byte, in any) error {
	d := decoder{scanner: scanner{body: body}, names: &c.names}
	d.members = d.room[:0]
	if !utf8.Valid(body) || d.peek() != '{' {
		return errSyntax
	}
	v := reflect.ValueOf(in).Elem()
	c.plan(v.Type()).decode(&d, v, false)
	switch {
	case !d.end():
		return errSyntax
	case d.mismatched != "":
		return exception("SerializationException", d.mismatched)
	}
	return nil
}

// wellFormed reports whether body is one JSON object.
func wellFormed(body []byte) bool {
	s := scanner{body: body}
	if !utf8.Valid(body) || s.peek() != '{' {
		return false
	}
	s.skip()
	return s.end()
}

// mismatch notes that a value has the wrong type, and skips it.
func (d *decoder) mismatch(text string) {
	if d.mismatched == "" {
		d.mismatched = text
	}
	d.skip()
}

// Texts of a SerializationException, observed like all the others below.
const (
	textNotCollection = "Start of structure or map found where not expected"
	textField         = "Unexpected field type"
	textElement       = "Unexpected value type in payload"
	textBoolean       = "Unexpected token received from parser"
	textBlob          = "only base-64-encoded strings are convertible to bytes"
	textBlobEnd       = "Invalid last non-pad Base64 character dectected"
	textNested        = "class sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl cannot be cast to class java.lang.Class " +
		"(sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl and java.lang.Class are in module java.base of loader 'bootstrap')"
)

const (
	javaLang     = "java.lang."
	javaString   = javaLang + "String"
	javaDynamoDB = "com.amazonaws.dynamodb.v20120810."
)

// notScalar notes that a value is no string, number or boolean of the Java
// class that the service wants.
func (d *decoder) notScalar(class string) {
	token := ""
	switch c := d.peek(); c {
	case '[':
		d.mismatch("Unrecognized collection type class " + class)
		return
	case '{':
		d.mismatch(textNotCollection)
		return
	case '"':
		token = "STRING_VALUE"
	case 't':
		token = "TRUE_VALUE"
	case 'f':
		token = "FALSE_VALUE"
	default:
		token = "NUMBER_VALUE"
		if number := d.aside().number(); strings.ContainsAny(string(number), ".eE") {
			token = "DECIMAL_VALUE"
		}
	}
	d.mismatch(token + " cannot be converted to " + class[strings.LastIndexByte(class, '.')+1:])
}

// aside returns a scanner that reads ahead.
func (d *decoder) aside() *scanner { return &scanner{body: d.body, pos: d.pos} }

// list enters an array, or notes that there is none.
func (d *decoder) list(element bool) bool {
	switch {
	case d.peek() == '[':
		d.enter()
		return true
	case d.peek() == '{':
		d.mismatch(textNotCollection)
	case element:
		d.mismatch(textNested)
	default:
		d.mismatch(textField)
	}
	return false
}

// mapOf enters an object that stands for a map to values of the Java class, or
// notes that there is none.
func (d *decoder) mapOf(class string, element bool) bool {
	switch {
	case d.peek() == '{':
		d.enter()
		return true
	case d.peek() == '[':
		d.mismatch("Unrecognized collection type " + javaMap(class))
	case element:
		d.mismatch(textNested)
	default:
		d.mismatch(textField)
	}
	return false
}

// structure enters an object that stands for the Java class, or notes that
// there is none.
func (d *decoder) structure(class string, element bool) bool {
	switch {
	case d.peek() == '{':
		d.enter()
		return true
	case d.peek() == '[':
		d.mismatch("Unrecognized collection type class " + class)
	case element:
		d.mismatch(textElement)
	default:
		d.mismatch(textField)
	}
	return false
}

func (d *decoder) string() string {
	if d.peek() != '"' {
		d.notScalar(javaString)
		return ""
	}
	return d.text()
}

func (d *decoder) bool() bool {
	switch {
	case d.word("true"):
		return true
	case d.word("false"):
		return false
	case d.peek() != '"':
		d.notScalar(javaLang + "Boolean")
		return false
	}
	before := d.pos
	switch strings.ToLower(d.text()) {
	case "true", "yes", "1":
		return true
	case "false", "no", "0":
		return false
	}
	d.pos = before
	d.mismatch(textBoolean)
	return false
}

// integer reads an int32 or int64; fractions are dropped (observed).
func (d *decoder) integer(class string, bits int) int64 {
	number := d.numeral()
	if number == "" {
		d.notScalar(class)
		return 0
	}
	n, err := strconv.ParseInt(number, 10, bits)
	if err != nil && strings.ContainsAny(number, ".eE") {
		f, _ := strconv.ParseFloat(number, 64)
		n, err = strconv.ParseInt(strconv.FormatFloat(math.Floor(f), 'f', 0, 64), 10, bits)
	}
	if err != nil {
		d.notScalar(class)
		return 0
	}
	d.number()
	return n
}

func (d *decoder) float() float64 {
	f, err := strconv.ParseFloat(d.numeral(), 64)
	if err != nil {
		d.notScalar(javaLang + "Double")
		return 0
	}
	d.number()
	return f
}

// maxSeconds bounds what time counts as a timestamp: the year 33658.
const maxSeconds = 1e12

// time reads seconds since the epoch, to the millisecond.
func (d *decoder) time() time.Time {
	f, err := strconv.ParseFloat(d.numeral(), 64)
	if err != nil || math.Abs(f) > maxSeconds {
		d.notScalar("java.util.Date")
		return time.Time{}
	}
	d.number()
	return time.UnixMilli(int64(math.Round(f * 1e3))).UTC()
}

// numeral returns the text of a number that comes next, without consuming it,
// and nothing when something else comes.
func (d *decoder) numeral() string {
	if c := d.peek(); c != '-' && (c < '0' || c > '9') {
		return ""
	}
	return string(d.aside().number())
}

func (d *decoder) blob() []byte {
	switch d.peek() {
	case '"':
	case '[', '{':
		d.notScalar("java.nio.ByteBuffer")
		return nil
	default:
		d.mismatch(textBlob)
		return nil
	}
	before := d.pos
	text := d.text()
	raw, fault := fromBase64(text)
	if fault != "" {
		d.pos = before
		d.mismatch(fault)
	}
	return raw
}

func fromBase64(text string) (raw []byte, fault string) {
	if len(text)%4 != 0 {
		return nil, "Base64 encoded length is expected a multiple of 4 bytes but found: " + strconv.Itoa(len(text))
	}
	for _, c := range text {
		if !inBase64(c) {
			return nil, "Invalid Base64 character: '" + string(c) + "'"
		}
	}
	raw, err := base64.StdEncoding.Strict().DecodeString(text)
	if err != nil {
		return nil, textBlobEnd
	}
	return raw, ""
}

func inBase64(c rune) bool {
	return 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '+' || c == '/' || c == '='
}

func javaMap(class string) string  { return "java.util.Map<" + javaString + ", " + class + ">" }
func javaList(class string) string { return "java.util.List<" + class + ">" }
