package ddb_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/memory"
)

// Grade is an enum that is stored by its text.
type Grade int

var grades = []string{"poor", "fair", "good"}

func (g Grade) MarshalText() ([]byte, error) { return []byte(grades[g]), nil }

func (g *Grade) UnmarshalText(text []byte) error {
	i := slices.Index(grades, string(text))
	if i < 0 {
		return errors.New("no grade " + string(text))
	}
	*g = Grade(i)
	return nil
}

// Report has fields of the kinds that codecs make choices for.
type Report struct {
	_ ddb.Entity `pk:"REPORT#{ID}" sk:"{Grade}"`
	_ ddb.Index  `name:"GSI1" pk:"GRADE#{Grade}" sk:"{ID}"`

	ID     string
	Grade  Grade
	Scores []float64
	Seen   map[Grade]bool `dynamodbav:",stringset"`
	Times  []time.Time    `dynamodbav:",stringset"`
	Extra  any
	Parts  []struct{ Sizes map[string]int8 }
}

func openReports(t *testing.T) (*ddb.Definition[Report], *memory.DB) {
	t.Helper()
	db := memory.New()
	table := ddb.NewTable("Shop", db)
	reports := ddb.Define[Report](table)
	create(t, db, table)
	return reports, db
}

// TestValuesInUse asserts that handles write values as items hold them, and that
// keys and attributes of one field agree.
func TestValuesInUse(t *testing.T) {
	t.Parallel()
	reports, _ := openReports(t)
	ctx := t.Context()
	grade := ddb.Field(reports, func(r *Report) *Grade { return &r.Grade })
	seen := ddb.Field(reports, func(r *Report) *map[Grade]bool { return &r.Seen })
	times := ddb.Field(reports, func(r *Report) *[]time.Time { return &r.Times })
	extra := ddb.Field(reports, func(r *Report) *any { return &r.Extra })
	noon := at("2024-05-20T12:00:00Z")
	r := Report{ID: "r", Grade: 2, Seen: map[Grade]bool{0: true, 1: true}, Times: []time.Time{noon}, Extra: 7}
	put(t, reports, r)
	for name, holds := range map[string]ddb.Cond[Report]{
		"text":            grade.Eq(2),
		"set of texts":    seen.Eq(map[Grade]bool{1: true, 0: true}),
		"member of a set": seen.Contains(Grade(1)),
		"time in a set":   times.Contains(noon.In(time.FixedZone("", 3600))),
		"any":             extra.Eq(7),
	} {
		if err := reports.Put(&r).If(holds).Run(ctx); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	got, err := reports.Update(r).Set(seen.To(map[Grade]bool{2: true}), extra.To(nil)).Run(ctx)
	if err != nil || len(got.Seen) != 1 || !got.Seen[2] || got.Extra != nil {
		t.Errorf("got %+v and %v, want the changes", got, err)
	}
	if _, err := reports.Update(r).Set(seen.To(map[Grade]bool{2: false})).Run(ctx); !errors.Is(err, ddb.ErrExpression) {
		t.Errorf("set without members: got %v, want ErrExpression", err)
	}
	if page, err := reports.Query(Report{Grade: 2}).Index("GSI1").Page(ctx, ""); err != nil || len(page.Items) != 1 || page.Items[0].Grade != 2 {
		t.Errorf("got %+v and %v, want the report by its grade", page.Items, err)
	}
}

// TestValueErrors asserts that the errors of operations say where a value does
// not fit, and not what it is.
func TestValueErrors(t *testing.T) {
	t.Parallel()
	reports, db := openReports(t)
	bad := Report{ID: "r", Scores: []float64{1, math.NaN()}}
	err := reports.Put(&bad).Run(t.Context())
	var op *ddb.OpError
	var encode *ddb.EncodeError
	if !errors.Is(err, ddb.ErrEncode) || !errors.As(err, &op) || !errors.As(err, &encode) || op.Field != "Scores[1]" || encode.Path != "Scores[1]" {
		t.Errorf("got %v, want an EncodeError at Scores[1]", err)
	}
	if want := "ddb: PutItem Shop: Report.Scores[1]: value cannot be stored: the float64 is not a finite number"; err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	scores := ddb.Field(reports, func(r *Report) *[]float64 { return &r.Scores })
	_, err = reports.Update(bad).Set(scores.To(bad.Scores)).Run(t.Context())
	if !errors.Is(err, ddb.ErrExpression) || !errors.Is(err, ddb.ErrEncode) {
		t.Errorf("got %v, want ErrExpression and ErrEncode", err)
	}
	wantEmpty(t, db)

	item, err := reports.Item(&Report{ID: "r"})
	if err != nil {
		t.Fatal(err)
	}
	sizes := &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{"x": &types.AttributeValueMemberN{Value: "300"}}}
	item["Parts"] = &types.AttributeValueMemberL{Value: []types.AttributeValue{
		&types.AttributeValueMemberM{Value: map[string]types.AttributeValue{"Sizes": sizes}},
	}}
	_, err = reports.Decode(item)
	var decode *ddb.DecodeError
	if !errors.Is(err, ddb.ErrDecode) || !errors.As(err, &op) || !errors.As(err, &decode) || decode.Path != "Parts[0].Sizes.x" || decode.Kind != "N" {
		t.Errorf("got %v, want a DecodeError at Parts[0].Sizes.x", err)
	}
	if want := "ddb: Decode Shop: Report: attribute cannot be read: Parts[0].Sizes.x: the N is out of range (int8)"; err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	delete(item, "Parts")
	item["Grade"] = &types.AttributeValueMemberS{Value: "secret"}
	if _, err = reports.Decode(item); !errors.As(err, &decode) || decode.Err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("got %v, want the cause beside the text, which does not show the value", err)
	}
}

// TestNumbersSurvive asserts that numbers pass through the backend with every
// digit.
func TestNumbersSurvive(t *testing.T) {
	t.Parallel()
	type exact struct {
		_     ddb.Entity `pk:"EXACT#{ID}" sk:"X"`
		ID    string
		Int   int64
		Uint  uint64
		Float float64
		Any   any
	}
	db := memory.New()
	table := ddb.NewTable("Exact", db)
	exacts := ddb.Define[exact](table)
	create(t, db, table)
	in := exact{ID: "a", Int: 1556893286484340854, Uint: math.MaxUint64, Float: math.Nextafter(0.1, 1), Any: int64(9007199254740993)}
	put(t, exacts, in)
	got, err := exacts.Get(in).Run(t.Context())
	if err != nil || got.Int != in.Int || got.Uint != in.Uint || got.Float != in.Float {
		t.Fatalf("got %+v and %v, want %+v", got, err, in)
	}
	if err := exacts.Put(&got).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if again, err := exacts.Get(in).Run(t.Context()); err != nil || again.Any != got.Any {
		t.Errorf("got %+v and %v, want the number in the any unchanged", again, err)
	}
}
