package memory

import (
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/seed530093c6/ddb/memory/internal/av"
)

// TestAllSettingsAreKept gives every field of a table's settings a value and
// demands it back, so that no field is added without being kept.
func TestAllSettingsAreKept(t *testing.T) {
	t.Parallel()
	db := New()
	at := func(s int64) time.Time { return time.Unix(s, 5).UTC() }
	units := func(n int64) indexState {
		return indexState{
			provisioned{throughput{n, n + 1}, at(n), at(n + 1), 2}, throughput{n + 2, n + 3}, throughput{n + 4, n + 5},
		}
	}
	a, b := keyAttribute{Name: "a", Kind: av.S}, keyAttribute{Name: "b", Kind: av.N}
	key := keySchema{hash: []keyAttribute{a}, sort: []keyAttribute{b}, all: []keyAttribute{a, b}}
	newIndex := func(name string) *index {
		ix := db.newIndex(name, &key, keySchema{hash: []keyAttribute{b, a}, all: []keyAttribute{b, a}},
			&types.Projection{ProjectionType: types.ProjectionTypeInclude, NonKeyAttributes: []string{"x"}})
		ix.local, ix.building = true, building{at(1), at(2)}
		return ix
	}
	want := &table{
		name: "T", arn: "arn", id: "id", created: at(3), base: db.newKeyspace(), number: 7,
	}
	whole := units(10)
	want.state = tableState{
		billing: types.BillingModePayPerRequest, onDemandAt: at(4), provisioned: whole.provisioned, ceiling: whole.ceiling, warm: whole.warm,
		class: types.TableClassStandard, classAt: at(5), protected: true, encrypted: &encryption{"key"},
		global:  map[string]indexState{"g": units(20)},
		leaving: []leaving{{newIndex("gone"), units(30), at(6)}},
		tags:    map[string]string{"k": "v"},
		ttl:     timeToLive{"x", at(7)},
		stream: &stream{
			number: 9, table: "T", arn: "arn/stream/x", viewType: types.StreamViewTypeNewImage, key: key, created: at(9), end: 11,
			logs: []changeLog{{trimmed: 3}, {trimmed: 4}},
		},
	}
	want.layout.Store(newLayout([]keyAttribute{b, a}, key, []*index{newIndex("i")}))
	want.phase.Store(&phase{types.TableStatusUpdating, at(8)})
	want.capture(&stream{})
	full(t, "", reflect.ValueOf(want))

	c := want.whole()
	kept, err := restoreStream(c.Streams[0], nil)
	if err != nil {
		t.Fatal(err)
	}
	got := &table{number: want.number, base: want.base}
	if err := got.takeOver(db, c.Tables[0].Settings, map[uint64]*stream{kept.number: kept}); err != nil {
		t.Fatal(err)
	}
	visible := cmp.Exporter(func(reflect.Type) bool { return true })
	ignored := cmp.FilterPath(func(p cmp.Path) bool {
		switch p.Last().String() {
		case ".mu", ".space", ".base", ".lag", ".layout", ".phase", ".capturing", ".sorted", ".last", ".turn", ".records":
			return true
		}
		return false
	}, cmp.Ignore())
	if d := cmp.Diff(want, got, visible, ignored); d != "" {
		t.Errorf("settings (-want +got):\n%s", d)
	}
	if d := cmp.Diff(want.layout.Load(), got.layout.Load(), visible, ignored); d != "" {
		t.Errorf("layout (-want +got):\n%s", d)
	}
	if d := cmp.Diff(want.phase.Load(), got.phase.Load(), visible); d != "" {
		t.Errorf("phase (-want +got):\n%s", d)
	}
}

// notKept are what belongs to a DB rather than to its history.
var notKept = []reflect.Type{
	reflect.TypeFor[*keyspace](), reflect.TypeFor[*powers](), reflect.TypeFor[*lag](), reflect.TypeFor[*ledger](), reflect.TypeFor[sync.Mutex](),
	reflect.TypeFor[func() time.Time](), reflect.TypeFor[atomic.Uint64](), reflect.TypeFor[queue[captured]](),
}

// full demands that no field of our own structs is left at its zero value.
func full(t *testing.T, path string, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.Pointer:
		full(t, path, v.Elem())
	case reflect.Slice:
		for i := range v.Len() {
			full(t, path+"[]", v.Index(i))
		}
	case reflect.Map:
		for _, k := range v.MapKeys() {
			full(t, path+"[]", v.MapIndex(k))
		}
	case reflect.Struct:
		if v.Type().PkgPath() != reflect.TypeFor[table]().PkgPath() {
			return
		}
		for i := range v.NumField() {
			name := path + "." + v.Type().Field(i).Name
			switch f := v.Field(i); {
			case slices.Contains(notKept, f.Type()) || v.Type() == reflect.TypeFor[keySchema]():
			case f.IsZero():
				t.Errorf("%s has no value in this test; see that it is kept and give it one", name)
			default:
				full(t, name, f)
			}
		}
	}
}
