package durable

import (
	"bytes"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed530093c6/ddb/memory"
	"github.com/seed530093c6/ddb/memory/internal/av"
)

var update = flag.Bool("update", false, "write golden files anew")

// everyKind is a change with everything that a change can hold.
func everyKind(t testing.TB) memory.Change {
	t.Helper()
	it, err := av.MapFromSDK(item{
		"S": str("text"), "empty": str(""), "B": &types.AttributeValueMemberB{Value: []byte{0, 255}},
		"N":    &types.AttributeValueMemberN{Value: "-12345678901234567890.123456789012345678"},
		"SS":   &types.AttributeValueMemberSS{Value: []string{"b", "a"}},
		"NS":   &types.AttributeValueMemberNS{Value: []string{"10", "9", "0.5"}},
		"BS":   &types.AttributeValueMemberBS{Value: [][]byte{{2}, {1}}},
		"true": &types.AttributeValueMemberBOOL{Value: true}, "false": &types.AttributeValueMemberBOOL{},
		"NULL": &types.AttributeValueMemberNULL{Value: true},
		"M":    &types.AttributeValueMemberM{Value: item{"年龄": str("é"), "in": &types.AttributeValueMemberM{Value: item{}}}},
		"L":    &types.AttributeValueMemberL{Value: []types.AttributeValue{str("x"), &types.AttributeValueMemberL{}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return memory.Change{
		Streams: []memory.StreamChange{{Number: 200, Settings: []byte(`{"table":"T"}`)}},
		Records: []memory.RecordChange{
			{Stream: 200, Sequence: 1 << 60, Kind: memory.RecordRemove, Expired: true, Keys: it[:1], Old: it},
			{Stream: 200, Sequence: 1<<60 + 1, Kind: memory.RecordModify, Keys: it[:1], Old: it, New: it[:2]},
			{Stream: 1, Sequence: 1, Keys: it[:2]},
		},
		Tables: []memory.TableChange{{Number: 1, Settings: []byte(`{"name":"T"}`)}, {Number: 300}},
		Items:  []memory.ItemChange{{Table: 1, Item: it}, {Table: 300, Gone: true, Item: it[:1]}},
		Tokens: []memory.TokenChange{{
			Token: "token", Request: [32]byte{1, 31: 2}, Done: time.Unix(1_700_000_000, 5),
			Reads: []memory.TokenRead{{Table: "T", HalfUnits: 8}},
		}},
	}
}

var equal = []cmp.Option{cmp.Comparer(av.EqualMaps), cmp.Comparer(av.Equal)}

// TestRecordForm pins the bytes of a record: what is in a file must be read by all
// later versions.
func TestRecordForm(t *testing.T) {
	t.Parallel()
	streamed := everyKind(t)
	plain := streamed
	plain.Streams, plain.Records = nil, nil
	for golden, want := range map[string]memory.Change{"testdata/change.hex": plain, "testdata/streamed.hex": streamed} {
		t.Run(golden, func(t *testing.T) {
			t.Parallel()
			testRecordForm(t, golden, want)
		})
	}
}

func testRecordForm(t *testing.T, golden string, want memory.Change) {
	t.Helper()
	record := appendChange(nil, &want)
	if *update {
		if err := os.WriteFile(golden, []byte(hex.Dump(record)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(text), hex.Dump(record)); d != "" {
		t.Errorf("record (-golden +now); records of another form need another version:\n%s", d)
	}
	got, err := new(decoder).change(record)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got, equal...); d != "" {
		t.Errorf("(-written +read):\n%s", d)
	}
}

// TestRecordRoundTrip checks that every change is read as it was written, and that
// nothing that was read shares memory with the record.
func TestRecordRoundTrip(t *testing.T) {
	t.Parallel()
	var d decoder
	rapid.Check(t, func(t *rapid.T) {
		want := drawChange(t)
		record := appendChange(nil, &want)
		got, err := d.change(record)
		if err != nil {
			t.Fatal(err)
		}
		for i := range record {
			record[i] = 0xFF
		}
		if diff := cmp.Diff(want, got, equal...); diff != "" {
			t.Fatalf("(-written +read):\n%s", diff)
		}
	})
}

func drawChange(t *rapid.T) memory.Change {
	var c memory.Change
	for range rapid.IntRange(0, 2).Draw(t, "tables") {
		tc := memory.TableChange{Number: rapid.Uint64().Draw(t, "number")}
		if rapid.Bool().Draw(t, "there") {
			tc.Settings = append([]byte{}, rapid.SliceOf(rapid.Byte()).Draw(t, "settings")...)
		}
		c.Tables = append(c.Tables, tc)
	}
	for range rapid.IntRange(0, 3).Draw(t, "items") {
		it, err := av.MapFromSDK(drawItem(t, 0))
		if err != nil {
			t.Fatalf("item: %v", err)
		}
		c.Items = append(c.Items, memory.ItemChange{Table: rapid.Uint64().Draw(t, "table"), Gone: rapid.Bool().Draw(t, "gone"), Item: it})
	}
	for range rapid.IntRange(0, 2).Draw(t, "streams") {
		c.Streams = append(c.Streams, memory.StreamChange{
			Number: rapid.Uint64().Draw(t, "stream"), Settings: append([]byte{}, rapid.SliceOf(rapid.Byte()).Draw(t, "settings")...),
		})
	}
	for range rapid.IntRange(0, 2).Draw(t, "records") {
		c.Records = append(c.Records, drawRecord(t))
	}
	for range rapid.IntRange(0, 2).Draw(t, "tokens") {
		tc := memory.TokenChange{
			Token: rapid.String().Draw(t, "token"), Done: time.Unix(0, rapid.Int64().Draw(t, "done")),
			Reads: []memory.TokenRead{{Table: rapid.String().Draw(t, "read"), HalfUnits: rapid.Int().Draw(t, "units")}},
		}
		copy(tc.Request[:], rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "request"))
		c.Tokens = append(c.Tokens, tc)
	}
	return c
}

func drawRecord(t *rapid.T) memory.RecordChange {
	image := func(label string) av.Map {
		it := drawItem(t, 0)
		it["pk"] = str(rapid.String().Draw(t, label))
		m, err := av.MapFromSDK(it)
		if err != nil {
			t.Fatalf("image: %v", err)
		}
		return m
	}
	r := memory.RecordChange{
		Stream: rapid.Uint64().Draw(t, "of stream"), Sequence: rapid.Uint64().Draw(t, "sequence"),
		Kind: memory.RecordKind(rapid.IntRange(0, 2).Draw(t, "kind")), Expired: rapid.Bool().Draw(t, "expired"), Keys: image("keys"),
	}
	if rapid.Bool().Draw(t, "with old") {
		r.Old = image("old")
	}
	if rapid.Bool().Draw(t, "with new") {
		r.New = image("new")
	}
	return r
}

func drawItem(t *rapid.T, depth int) item {
	it := item{}
	for range rapid.IntRange(0, 4).Draw(t, "attributes") {
		it[rapid.String().Draw(t, "name")] = drawValue(t, depth)
	}
	return it
}

func drawValue(t *rapid.T, depth int) types.AttributeValue {
	numbers := rapid.Custom(func(t *rapid.T) string {
		return fmt.Sprintf("%de%d", rapid.Int64().Draw(t, "digits"), rapid.IntRange(-100, 100).Draw(t, "exponent"))
	})
	canonical := func(s string) string {
		n, err := av.ParseNumber(s)
		if err != nil {
			t.Fatalf("number %s: %v", s, err)
		}
		return n.String()
	}
	kinds := 8
	if depth < 4 {
		kinds = 10
	}
	switch rapid.IntRange(1, kinds).Draw(t, "kind") {
	case 1:
		return &types.AttributeValueMemberN{Value: numbers.Draw(t, "n")}
	case 2:
		return &types.AttributeValueMemberB{Value: rapid.SliceOf(rapid.Byte()).Draw(t, "b")}
	case 3:
		return &types.AttributeValueMemberBOOL{Value: rapid.Bool().Draw(t, "bool")}
	case 4:
		return &types.AttributeValueMemberNULL{Value: true}
	case 5:
		return &types.AttributeValueMemberSS{Value: rapid.SliceOfNDistinct(rapid.String(), 1, 3, rapid.ID).Draw(t, "ss")}
	case 6:
		return &types.AttributeValueMemberNS{Value: rapid.SliceOfNDistinct(numbers, 1, 3, canonical).Draw(t, "ns")}
	case 7:
		bs := &types.AttributeValueMemberBS{}
		for _, s := range rapid.SliceOfNDistinct(rapid.String(), 1, 3, rapid.ID).Draw(t, "bs") {
			bs.Value = append(bs.Value, []byte(s))
		}
		return bs
	case 8:
		return str(rapid.String().Draw(t, "s"))
	case 9:
		list := &types.AttributeValueMemberL{}
		for range rapid.IntRange(0, 3).Draw(t, "elements") {
			list.Value = append(list.Value, drawValue(t, depth+1))
		}
		return list
	default:
		return &types.AttributeValueMemberM{Value: drawItem(t, depth+1)}
	}
}

// TestRecordRefuses checks that what is no record is an error that says so.
func TestRecordRefuses(t *testing.T) {
	t.Parallel()
	one := func(value ...byte) []byte { // an item with one attribute "a"
		return append(append([]byte{versionPlain, 0, 1, 1, 0, 1, 1, 'a'}, value...), 0)
	}
	for _, tt := range []struct {
		name   string
		record []byte
		want   string
	}{
		{"nothing", nil, "cut off"},
		{"other version", []byte{3, 0, 0, 0}, "version 3"},
		{"more behind", []byte{versionPlain, 0, 0, 0, 7}, "1 bytes more"},
		{"more items than bytes", []byte{versionPlain, 0, 200, 1, 0}, "cut off"},
		{"number too large", append([]byte{versionPlain}, bytes.Repeat([]byte{0xFF}, 11)...), "cut off"},
		{"unknown mark", one('?'), "mark 0x3f"},
		{"no number", one(markN, 1, 'x'), "numeric value"},
		{"number in another form", one(markN, 2, '0', '1'), "canonical"},
		{"empty set", one(markSS, 0), "may not be empty"},
		{"set with a member twice", one(markNS, 2, 1, '1', 1, '1'), "duplicates"},
		{"names out of order", one(markM, 2, 1, 'b', markNull, 1, 'a', markNull), "not in order"},
		{"nested without end", one(bytes.Repeat([]byte{markL, 1}, 200)...), "nested too deeply"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, err := new(decoder).change(tt.record)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, %v, want an error with %q", c, err, tt.want)
			}
		})
	}
	record := appendChange(nil, new(everyKind(t)))
	for n := range record {
		if _, err := new(decoder).change(record[:n]); err == nil {
			t.Errorf("the first %d of %d bytes are read without complaint", n, len(record))
		}
	}
}

// FuzzRecord checks that no bytes make the decoder panic, and that what it reads
// it reads again from what it is written as.
func FuzzRecord(f *testing.F) {
	f.Add(appendChange(nil, new(everyKind(f))))
	f.Add([]byte{versionPlain, 0, 1, 1, 0, 1, 1, 'a', markL, 2, markTrue, markM, 0, 0})
	f.Fuzz(func(t *testing.T, record []byte) {
		var d decoder
		c, err := d.change(record)
		if err != nil {
			return
		}
		again, err := d.change(appendChange(nil, &c))
		if err != nil {
			t.Fatalf("what was read cannot be read again: %v", err)
		}
		if diff := cmp.Diff(c, again, equal...); diff != "" {
			t.Fatalf("(-first +again):\n%s", diff)
		}
	})
}
