package memory_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Random histories of all operations on items. One that fails is printed with its
// seed and with no more operations than it takes to fail; the seed is kept in
// testdata/histories, from where it runs first ever after.
var (
	histories = flag.Int("histories", 0, "how many random histories of each sort to run; 0 for as many as make 200,000 operations")
	seed      = flag.Uint64("seed", 0, "seed of random tests, as a failing one prints it; 0 for another one each time")
)

func TestMain(m *testing.M) {
	flag.Parse()
	if *seed != 0 {
		if err := flag.Set("rapid.seed", strconv.FormatUint(*seed, 10)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
	}
	os.Exit(m.Run())
}

// tryHistory runs operations and returns how many of them it took to find a fault,
// and the fault, "" for none.
type tryHistory func(ops []*operation) (n int, fault string)

// overSeeds tries histories of so many operations: those kept first, then new ones.
func overSeeds(t *testing.T, steps int, try tryHistory) {
	t.Helper()
	count, first := 100, *seed
	if testing.Short() {
		count = 20
	}
	if *histories > 0 {
		count = *histories
	}
	if first == 0 {
		first = rand.Uint64()
	}
	seeds := keptSeeds(t)
	for i := range count {
		seeds = append(seeds, first+uint64(i))
	}
	for _, s := range seeds {
		ops := operationsOf(s, steps)
		n, fault := try(ops)
		if fault == "" {
			continue
		}
		ops = shortened(ops[:n], func(ops []*operation) bool {
			_, fault := try(ops)
			return fault != ""
		})
		_, fault = try(ops)
		keepSeed(t, s)
		t.Fatalf("the history of -seed=%d fails; of its operations it takes\n%s\n%s", s, listed(ops), fault)
	}
	t.Logf("%d operations", len(seeds)*steps)
}

// operationsOf makes the operations that a seed stands for. Each is made from the
// seed and its own number, so that leaving one out changes no other.
func operationsOf(seed uint64, n int) []*operation {
	tables := historyTables()
	ops := make([]*operation, n)
	for i := range ops {
		m := &maker{Rand: rand.New(rand.NewPCG(seed, uint64(i)))}
		m.table = choose(m, tables...)
		ops[i] = m.operation(tables)
	}
	return ops
}

// shortened leaves out of a history that fails as much as it can: halves of it,
// then quarters, and so on down to single operations.
func shortened(ops []*operation, fails func([]*operation) bool) []*operation {
	for size := len(ops) / 2; size > 0; size /= 2 {
		for at := 0; at+size <= len(ops); {
			if rest := slices.Concat(ops[:at], ops[at+size:]); fails(rest) {
				ops = rest
			} else {
				at += size
			}
		}
	}
	return ops
}

// listed prints operations, one a line.
func listed(ops []*operation) string {
	var b strings.Builder
	for _, op := range ops {
		b.WriteString("\t" + op.String() + "\n")
	}
	return b.String()
}

// seedFile is where the seeds of a test are kept.
func seedFile(t *testing.T) string {
	return filepath.Join("testdata", "histories", strings.NewReplacer("/", "-", " ", "-").Replace(t.Name()))
}

func keptSeeds(t *testing.T) []uint64 {
	t.Helper()
	text, err := os.ReadFile(seedFile(t))
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	var seeds []uint64
	for word := range strings.FieldsSeq(string(text)) {
		s, err := strconv.ParseUint(word, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		seeds = append(seeds, s)
	}
	return seeds
}

// keepSeed keeps a seed, unless it is kept already.
func keepSeed(t *testing.T, s uint64) {
	t.Helper()
	if seeds := keptSeeds(t); !slices.Contains(seeds, s) {
		file := seedFile(t)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Error(err)
		}
		var b strings.Builder
		for _, s := range append(seeds, s) {
			fmt.Fprintln(&b, s)
		}
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Error(err)
		}
	}
}

// TestFailingHistoriesAreShortened fails on purpose: a history fails once it has
// had two operations of a kind.
func TestFailingHistoriesAreShortened(t *testing.T) {
	t.Parallel()
	ops := operationsOf(1, 300)
	wanted := []*operation{ops[17], ops[250]}
	short := shortened(ops, func(ops []*operation) bool {
		return slices.Contains(ops, wanted[0]) && slices.Contains(ops, wanted[1])
	})
	if !slices.Equal(short, wanted) {
		t.Errorf("it takes %d operations\n%s\nwant\n%s", len(short), listed(short), listed(wanted))
	}
}
