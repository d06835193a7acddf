package ddb

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// DecodeRecords returns the records of the JSON that Lambda gives a function whose
// event source is a stream. Values come out exactly: numbers as their text,
// binaries once decoded, an image that is not there as nil.
//
// It fails with [ErrDecode]. If only some records cannot be read, it returns those
// before the first of them as well.
func DecodeRecords(event []byte) ([]Record, error) {
	raw, err := splitEvent(event)
	if err != nil {
		return nil, err
	}
	records := make([]Record, 0, len(raw))
	for i := range raw {
		r, err := raw[i].record()
		if err != nil {
			return records, unread(because(ErrDecode, "record %d of the event: %s", i, err))
		}
		records = append(records, r)
	}
	return records, nil
}

// unread is the error of an event, which has no table yet.
func unread(err error) error { return fmt.Errorf("ddb: event: %w", err) }

// lambdaRecord is a record as Lambda writes it.
// with-ddb.html
type lambdaRecord struct {
	EventID   string `json:"eventID"`
	EventName string `json:"eventName"`
	Identity  struct {
		Type        string `json:"type"`
		PrincipalID string `json:"principalId"`
	} `json:"userIdentity"`
	Content json.RawMessage `json:"dynamodb"`
}

// lambdaContent is the part of a record that the change itself is in.
type lambdaContent struct {
	Time           json.Number              `json:"ApproximateCreationDateTime"`
	Keys           map[string]jsonAttribute `json:"Keys"`
	OldImage       map[string]jsonAttribute `json:"OldImage"`
	NewImage       map[string]jsonAttribute `json:"NewImage"`
	SequenceNumber string                   `json:"SequenceNumber"`
}

// splitEvent returns the records of an event without looking into them.
func splitEvent(event []byte) ([]lambdaRecord, error) {
	var e struct {
		Records []lambdaRecord `json:"Records"`
	}
	if err := json.Unmarshal(event, &e); err != nil {
		return nil, unread(because(ErrDecode, "the event is no JSON of a stream"))
	}
	if e.Records == nil {
		return nil, unread(because(ErrDecode, "the event has no Records; is a stream its source?"))
	}
	return e.Records, nil
}

// sequenceNumber returns the number of a record, of which nothing else may be
// readable, "" if that is not either.
func (r *lambdaRecord) sequenceNumber() string {
	var c struct {
		SequenceNumber string `json:"SequenceNumber"`
	}
	if json.Unmarshal(r.Content, &c) != nil {
		return ""
	}
	return c.SequenceNumber
}

func (r *lambdaRecord) record() (Record, error) {
	out := Record{
		EventID: r.EventID, Kind: ChangeKind(r.EventName), Expired: isService(r.Identity.Type, r.Identity.PrincipalID),
	}
	var c lambdaContent
	if err := json.Unmarshal(r.Content, &c); err != nil {
		var value *jsonValueError
		if errors.As(err, &value) {
			return out, value
		}
		return out, errors.New("its content is no JSON of a change")
	}
	out.SequenceNumber = c.SequenceNumber
	out.Keys, out.Old, out.New = attributesOf(c.Keys), attributesOf(c.OldImage), attributesOf(c.NewImage)
	if c.Time != "" {
		t, ok := epoch(c.Time.String())
		if !ok {
			return out, errors.New("ApproximateCreationDateTime is no time")
		}
		out.Time = t
	}
	return out, nil
}

// epoch returns the time that a number of seconds since 1970 stands for.
func epoch(seconds string) (time.Time, bool) {
	if d, ok := scanDecimal(seconds); !ok || !d.zero && (d.first > maxEpochDigits || d.last < -maxEpochDigits) {
		return time.Time{}, false
	}
	n, ok := new(big.Rat).SetString(seconds)
	if !ok {
		return time.Time{}, false
	}
	millis := new(big.Int).Div(new(big.Int).Mul(n.Num(), big.NewInt(1000)), n.Denom())
	return time.UnixMilli(millis.Int64()).UTC(), true
}

// maxEpochDigits is more than any time has before or behind the point.
const maxEpochDigits = 14

// jsonAttribute is an attribute value in JSON: an object whose one member says the
// kind.
type jsonAttribute struct{ value types.AttributeValue }

// jsonValueError says what is wrong with a value, without showing it.
type jsonValueError struct{ problem string }

func (e *jsonValueError) Error() string { return e.problem }

// UnmarshalJSON reads an attribute value; package json calls it.
func (a *jsonAttribute) UnmarshalJSON(text []byte) error {
	var v struct {
		S    *string                  `json:"S"`
		N    *string                  `json:"N"`
		B    *[]byte                  `json:"B"`
		BOOL *bool                    `json:"BOOL"`
		NULL *bool                    `json:"NULL"`
		SS   []string                 `json:"SS"`
		NS   []string                 `json:"NS"`
		BS   [][]byte                 `json:"BS"`
		L    []jsonAttribute          `json:"L"`
		M    map[string]jsonAttribute `json:"M"`
	}
	if err := json.Unmarshal(text, &v); err != nil {
		var inner *jsonValueError
		if errors.As(err, &inner) {
			return inner
		}
		return &jsonValueError{"a value does not fit the kind that it names"}
	}
	kinds := 0
	set := func(given bool, make func() types.AttributeValue) {
		if given {
			kinds++
			a.value = make()
		}
	}
	set(v.S != nil, func() types.AttributeValue { return &types.AttributeValueMemberS{Value: *v.S} })
	set(v.N != nil, func() types.AttributeValue { return &types.AttributeValueMemberN{Value: *v.N} })
	set(v.B != nil, func() types.AttributeValue { return &types.AttributeValueMemberB{Value: *v.B} })
	set(v.BOOL != nil, func() types.AttributeValue { return &types.AttributeValueMemberBOOL{Value: *v.BOOL} })
	set(v.NULL != nil, func() types.AttributeValue { return &types.AttributeValueMemberNULL{Value: *v.NULL} })
	set(v.SS != nil, func() types.AttributeValue { return &types.AttributeValueMemberSS{Value: v.SS} })
	set(v.NS != nil, func() types.AttributeValue { return &types.AttributeValueMemberNS{Value: v.NS} })
	set(v.BS != nil, func() types.AttributeValue { return &types.AttributeValueMemberBS{Value: v.BS} })
	set(v.L != nil, func() types.AttributeValue {
		list := make([]types.AttributeValue, len(v.L))
		for i := range v.L {
			list[i] = v.L[i].value
		}
		return &types.AttributeValueMemberL{Value: list}
	})
	set(v.M != nil, func() types.AttributeValue { return &types.AttributeValueMemberM{Value: attributesOf(v.M)} })
	if kinds != 1 {
		return &jsonValueError{"a value names no kind, or several"}
	}
	return nil
}

func attributesOf(m map[string]jsonAttribute) map[string]types.AttributeValue {
	if m == nil {
		return nil
	}
	out := make(map[string]types.AttributeValue, len(m))
	for name, a := range m {
		out[name] = a.value
	}
	return out
}
