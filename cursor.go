package ddb

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// A cursor is base64url of: one byte version, 16 bytes of HMAC-SHA256, then the
// positions in JSON, one for each partition that the query reads or segment that
// the scan does: null for the beginning, {} for the end, else the key attributes
// of a position. The HMAC also runs over the shape of the read, so that a cursor
// opens only for the read that made it.

const (
	cursorVersion = 1
	cursorMACLen  = 16
	// maxPosition bounds the text of one position: keys of table and index,
	// (2,048 + 1,024) bytes each, ServiceQuotas.html#limits-partition-sort-keys,
	// six times as long when JSON escapes every byte, in base64, and as much
	// again for names and further key attributes.
	maxPosition = 2 * 6 * (3072 + 3072) * 4 / 3
)

// shape is everything that decides which items come in which order. A cursor
// belongs to it.
type shape struct {
	Op, Table, Index, Key, Filter string
	Desc                          bool
	Partitions                    int
	Segments                      *segments
	Names                         map[string]string
	Values                        map[string]any
}

// shapeOf describes a query by its input, before anything is added to it that
// changes neither items nor order.
func shapeOf(in *dynamodb.QueryInput) shape {
	return shape{
		Op: "Query", Table: aws.ToString(in.TableName), Index: aws.ToString(in.IndexName),
		Key: aws.ToString(in.KeyConditionExpression), Filter: aws.ToString(in.FilterExpression),
		Desc:  in.ScanIndexForward != nil,
		Names: maps.Clone(in.ExpressionAttributeNames), Values: shapeValues(in.ExpressionAttributeValues),
	}
}

// shapeOfScan describes a scan by the input that its segments share.
func shapeOfScan(in *dynamodb.ScanInput, parts segments) shape {
	return shape{
		Op: "Scan", Table: aws.ToString(in.TableName), Index: aws.ToString(in.IndexName), Filter: aws.ToString(in.FilterExpression),
		Segments: &parts,
		Names:    maps.Clone(in.ExpressionAttributeNames), Values: shapeValues(in.ExpressionAttributeValues),
	}
}

// shapeValues leaves out the moment of the read, which no cursor depends on.
func shapeValues(in map[string]types.AttributeValue) map[string]any {
	values := plainValues(in)
	delete(values, placeholderNow)
	return values
}

// sealer makes and opens the cursors of one read.
type sealer struct {
	keys  [][]byte
	shape []byte
}

func (t *Table) sealer(r *reading) sealer {
	what := r.shape()
	what.Partitions = len(r.sources)
	shape, _ := json.Marshal(what) // strings and bytes always marshal
	keys := t.cursorKeys
	if len(keys) == 0 {
		keys = [][]byte{nil} // against damage only
	}
	return sealer{keys: keys, shape: shape}
}

func (s sealer) mac(key, position []byte) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte{cursorVersion})
	h.Write(s.shape)
	h.Write([]byte{0})
	h.Write(position)
	return h.Sum(nil)[:cursorMACLen]
}

// close writes the positions behind what was delivered; "" stands for the end.
func (s sealer) close(r *reading) (string, error) {
	if r.exhausted() {
		return "", nil
	}
	positions := make([]map[string]any, len(r.sources))
	for i, src := range r.sources {
		at := src.resume(r.keys)
		for name, v := range at {
			if v == nil {
				return "", because(ErrCursor, "the last item has no attribute %s, so that there is no position behind it; project the keys", name)
			}
		}
		if at != nil {
			positions[i] = plainValues(at)
		}
	}
	body, err := json.Marshal(positions)
	if err != nil {
		return "", because(ErrCursor, "%s", err)
	}
	raw := slices.Concat([]byte{cursorVersion}, s.mac(s.keys[0], body), body)
	return base64.RawURLEncoding.EncodeToString(raw), nil
}

// open sets the sources of a reading to the positions of a cursor; "" stands
// for the beginning.
func (s sealer) open(cursor string, r *reading) error {
	switch {
	case cursor == "":
		return nil
	case len(cursor) > len(r.sources)*maxPosition:
		return because(ErrCursor, "it is longer than any of this query")
	}
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	// A decoder forgives line breaks and spare bits; a cursor has one form.
	if err != nil || len(raw) < 1+cursorMACLen || base64.RawURLEncoding.EncodeToString(raw) != cursor {
		return errDamaged
	}
	if raw[0] != cursorVersion {
		return because(ErrCursor, "it has version %d, this package writes %d", raw[0], cursorVersion)
	}
	mac, body := raw[1:1+cursorMACLen], raw[1+cursorMACLen:]
	if !slices.ContainsFunc(s.keys, func(key []byte) bool { return hmac.Equal(mac, s.mac(key, body)) }) {
		return because(ErrCursor, "it was made by another query or changed since; start without a cursor")
	}
	var positions []map[string]map[string]string
	if err := json.Unmarshal(body, &positions); err != nil || len(positions) != len(r.sources) {
		return errDamaged
	}
	for i, at := range positions {
		if err := r.sources[i].startAt(at, r.keys); err != nil {
			return err
		}
	}
	return nil
}

var errDamaged = because(ErrCursor, "it is damaged")

// startAt sets a source to a position. Where no key signs cursors anybody can
// write one, so that its attributes are compared with those of the keys.
func (s *source) startAt(at map[string]map[string]string, keys []*keySpec) error {
	if at == nil {
		return nil
	}
	s.ended = len(at) == 0
	if s.ended {
		return nil
	}
	s.from = make(item, len(at))
	for _, k := range keys {
		for _, c := range k.columns() {
			v := fromPlain(at[c.attr])
			if v == nil || kindOf(v) != c.kind {
				return errDamaged
			}
			s.from[c.attr] = v
		}
	}
	if len(s.from) != len(at) {
		return errDamaged
	}
	return nil
}

// kindOf returns the type of a key value.
func kindOf(v types.AttributeValue) types.ScalarAttributeType {
	switch v.(type) {
	case *types.AttributeValueMemberS:
		return types.ScalarAttributeTypeS
	case *types.AttributeValueMemberN:
		return types.ScalarAttributeTypeN
	case *types.AttributeValueMemberB:
		return types.ScalarAttributeTypeB
	}
	return ""
}

// plainValues turns attribute values into what encoding/json writes in a fixed
// order. Key values become {"S": …}, {"N": …} or {"B": base64}; other values,
// which only filters have, become any form that tells them apart.
func plainValues(values map[string]types.AttributeValue) map[string]any {
	out := make(map[string]any, len(values))
	for name, v := range values {
		out[name] = plainValue(v)
	}
	return out
}

func plainValue(v types.AttributeValue) any {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return map[string]string{"S": v.Value}
	case *types.AttributeValueMemberN:
		return map[string]string{"N": v.Value}
	case *types.AttributeValueMemberB:
		return map[string]string{"B": base64.StdEncoding.EncodeToString(v.Value)}
	case *types.AttributeValueMemberL:
		list := make([]any, len(v.Value))
		for i, e := range v.Value {
			list[i] = plainValue(e)
		}
		return map[string]any{"L": list}
	case *types.AttributeValueMemberM:
		return map[string]any{"M": plainValues(v.Value)}
	case *types.AttributeValueMemberSS:
		return map[string]any{"SS": v.Value}
	case *types.AttributeValueMemberNS:
		return map[string]any{"NS": v.Value}
	case *types.AttributeValueMemberBS:
		return map[string]any{"BS": v.Value}
	case *types.AttributeValueMemberBOOL:
		return map[string]any{"BOOL": v.Value}
	case *types.AttributeValueMemberNULL:
		return map[string]any{"NULL": v.Value}
	}
	return nil
}

func fromPlain(v map[string]string) types.AttributeValue {
	if len(v) != 1 {
		return nil
	}
	if s, ok := v["S"]; ok {
		return text(s)
	}
	if n, ok := v["N"]; ok {
		return &types.AttributeValueMemberN{Value: n}
	}
	b, err := base64.StdEncoding.DecodeString(v["B"])
	if err != nil || len(b) == 0 {
		return nil
	}
	return &types.AttributeValueMemberB{Value: b}
}
