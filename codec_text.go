package ddb

import (
	"reflect"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// notUTF8 is the error of a text that DynamoDB does not have. On its way there,
// JSON would put U+FFFD in the place of each byte at fault: another text would be
// stored, and two names of a map could become one.
// HowItWorks.NamingRulesDataTypes.html#HowItWorks.DataTypes.String.
func notUTF8(t reflect.Type) error {
	return &EncodeError{Type: t, Problem: "is not valid UTF-8; store bytes as []byte"}
}

// checkTexts refuses a value, made by a type's own method or by the caller, in which
// a text is not valid UTF-8.
func checkTexts(av types.AttributeValue, t reflect.Type) error {
	if !textsValid(av) {
		return notUTF8(t)
	}
	return nil
}

func textsValid(av types.AttributeValue) bool {
	if descriptorOf(av) == "" {
		return true
	}
	switch av := av.(type) {
	case *types.AttributeValueMemberS:
		return utf8.ValidString(av.Value)
	case *types.AttributeValueMemberSS:
		for _, s := range av.Value {
			if !utf8.ValidString(s) {
				return false
			}
		}
	case *types.AttributeValueMemberL:
		for _, m := range av.Value {
			if !textsValid(m) {
				return false
			}
		}
	case *types.AttributeValueMemberM:
		for name, m := range av.Value {
			if !utf8.ValidString(name) || !textsValid(m) {
				return false
			}
		}
	}
	return true
}
