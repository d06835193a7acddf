package ddb

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// A cursor is base64url of: one byte version, 16 bytes of HMAC-SHA256, then the
// positions in JSON, one for each partition that the query reads: null for the
// beginning, {} for the end, else the key attributes of a position. The HMAC
// also runs over the shape of the query, so that a cursor opens only for the
// query that made it.

const (
	cursorVersion = 1
	cursorMACLen  = 16
)

// sealer makes and opens the cursors of one query.
type sealer struct {
	keys  [][]byte
	shape []byte
}

// sealer returns the sealer for a query. Everything that decides which items
// come in which order is part of the shape.
func (t *Table) sealer(r *reading) sealer {
	in := r.sources[0].in
	values := plainValues(in.ExpressionAttributeValues)
	delete(values, placeholderNow)
	shape, _ := json.Marshal(struct {
		Table, Index, Key, Filter string
		Desc                      bool
		Partitions                int
		Names                     map[string]string
		Values                    map[string]any
	}{
		Table: t.name, Index: aws.ToString(in.IndexName),
		Key: aws.ToString(in.KeyConditionExpression), Filter: aws.ToString(in.FilterExpression),
		Desc: in.ScanIndexForward != nil, Partitions: len(r.sources), Names: in.ExpressionAttributeNames,
		Values: values,
	}) // strings and bytes always marshal
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
func (s sealer) close(r *reading, keys ...*keySpec) (string, error) {
	if r.exhausted() {
		return "", nil
	}
	positions := make([]map[string]any, len(r.sources))
	for i, src := range r.sources {
		at := src.resume(keys...)
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
	if cursor == "" {
		return nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	// A decoder forgives line breaks and spare bits; a cursor has one form.
	if err != nil || len(raw) < 1+cursorMACLen || base64.RawURLEncoding.EncodeToString(raw) != cursor {
		return because(ErrCursor, "it is damaged")
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
		return because(ErrCursor, "it is damaged")
	}
	for i, at := range positions {
		if err := r.sources[i].startAt(at); err != nil {
			return err
		}
	}
	return nil
}

func (s *source) startAt(at map[string]map[string]string) error {
	if at == nil {
		return nil
	}
	s.ended = len(at) == 0
	if s.ended {
		return nil
	}
	s.from = make(item, len(at))
	for name, v := range at {
		if s.from[name] = fromPlain(v); s.from[name] == nil {
			return because(ErrCursor, "it is damaged")
		}
	}
	return nil
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
