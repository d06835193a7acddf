package memory

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed530093c6/ddb/memory/internal/av"
)

// TestRouteKeepsOrder checks that partitions follow each other as keys do, so
// that a walk from partition to partition is a walk through hash space.
func TestRouteKeepsOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		ks := newKeyspace(rapid.IntRange(1, 100).Draw(t, "partitions"), func() uint64 { return 0 })
		key := func(name string) string {
			return string(rapid.SliceOfN(rapid.Byte(), hashBytes, hashBytes+2).Draw(t, name))
		}
		a, b := key("a"), key("b")
		if a > b {
			a, b = b, a
		}
		if ks.route(a) > ks.route(b) {
			t.Fatalf("%x goes to partition %d, %x to %d", a, ks.route(a), b, ks.route(b))
		}
		if ks.route(minKey) != 0 || ks.route(maxKey) != len(ks.partitions)-1 {
			t.Fatalf("hash space begins in partition %d and ends in %d of %d", ks.route(minKey), ks.route(maxKey), len(ks.partitions))
		}
	})
}

// TestSegmentsCoverHashSpace checks that segments follow each other without gap.
func TestSegmentsCoverHashSpace(t *testing.T) {
	t.Parallel()
	for _, total := range []int{1, 2, 3, 7, 4095, 4096, 4097, 10_000} {
		end := minKey
		for s := range total {
			r := segmentRange(s, total)
			if r.low != end || r.low > r.high {
				t.Fatalf("segment %d of %d is [%x, %x) after %x", s, total, r.low, r.high, end)
			}
			end = r.high
		}
		if end != maxKey {
			t.Errorf("%d segments end at %x", total, end)
		}
	}
	// 4096 slots in three: 1366, 1365 and 1365 of them.
	for s, want := range []string{"\x00\x00", "\x55\x60", "\xAA\xB0"} {
		if got := segmentRange(s, 3).low[:2]; got != want {
			t.Errorf("segment %d of 3 begins at %x, want %x", s, got, want)
		}
	}
}

// TestPrefixEnd checks that the end of a prefix is above all that begins with it
// and not above what does not.
func TestPrefixEnd(t *testing.T) {
	t.Parallel()
	text := rapid.Map(rapid.SliceOfN(rapid.Byte(), 1, 4), func(b []byte) string { return string(b) })
	// A prefix of nothing but 0xFF has no end below the end of all keys.
	ending := text.Filter(func(s string) bool { return strings.Count(s, "\xFF") < len(s) })
	rapid.Check(t, func(t *rapid.T) {
		prefix, other := ending.Draw(t, "prefix"), text.Draw(t, "other")
		end := prefixEnd(prefix)
		if prefix+other >= end {
			t.Fatalf("%x is not below the end %x of %x", prefix+other, end, prefix)
		}
		if !strings.HasPrefix(other, prefix) && other > prefix && other < end {
			t.Fatalf("%x is below the end %x of %x", other, end, prefix)
		}
	})
}

// TestPlaceInHashSpace pins the digest: MD5 of "Outliers" and the key.
func TestPlaceInHashSpace(t *testing.T) {
	t.Parallel()
	number, err := av.ParseNumber("0")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		key  av.Value
		want string
	}{
		{av.String("a"), "\xf6\x55\x8e\x51\x62\x75\xde\xe2"},
		{av.Binary("a"), "\xf6\x55\x8e\x51\x62\x75\xde\xe2"},
		{av.Num(number), "\xce\x21\x2d\x75\x16\x74\xab\x5d"},
	} {
		if got := string(appendHash(nil, tt.key)); got != tt.want {
			t.Errorf("place of %s is %x, want %x", tt.key.Print(), got, tt.want)
		}
	}
}
