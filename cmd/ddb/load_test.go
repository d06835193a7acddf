package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/seed530093c6/ddb/memory/durable"
)

// lines are n lines of items with the keys prefix-0 and so on.
func lines(prefix string, n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(`{"Item":{"pk":{"S":"` + prefix + "-" + string(rune('a'+i/26)) + string(rune('a'+i%26)) + `"}}}` + "\n")
	}
	return b.String()
}

func zipped(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestLoad loads tables and items, starts again, and checks that what was there is
// left as it is.
func TestLoad(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	args := []string{
		"--load", write(t, filepath.Join(dir, "Orders.jsonl.gz"), zipped(t, lines("order", 60))),
		"--load", "My.Table=" + write(t, filepath.Join(dir, "a=b.json"), lines("my", 3)),
		"--load", write(t, filepath.Join(dir, "tables.json"), ordersTable+"\n"+strings.Replace(ordersTable, "Orders", "My.Table", 1)+
			strings.Replace(strings.Replace(ordersTable, "Orders", "Empty", 1), "{", `{"DeletionProtectionEnabled":true,`, 1)),
		"--load", write(t, filepath.Join(dir, "Empty.jsonl"), ""),
		"--dir", filepath.Join(dir, "data"), "--transition", "20ms",
	}
	s := serve(t, args...)
	c := client(s.url)
	if got, want := tables(t, c), "Empty My.Table Orders"; got != want {
		t.Errorf("got tables %s, want %s", got, want)
	}
	for table, want := range map[string]int{"Orders": 60, "My.Table": 3, "Empty": 0} {
		if got := count(t, c, table); got != want {
			t.Errorf("table %s has %d items, want %d", table, got, want)
		}
	}
	d, err := c.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: aws.String("Empty")})
	if err != nil {
		t.Fatal(err)
	}
	if !aws.ToBool(d.Table.DeletionProtectionEnabled) {
		t.Error("the table is not protected, as its definition says")
	}
	tags, err := c.ListTagsOfResource(t.Context(), &dynamodb.ListTagsOfResourceInput{ResourceArn: d.Table.TableArn})
	if err != nil || len(tags.Tags) != 0 {
		t.Errorf("the table has the tags %v, %v", tags.Tags, err)
	}
	put(t, c, "another")
	s.stop(t)

	s = serve(t, args...)
	if got := count(t, client(s.url), "Orders"); got != 61 {
		t.Errorf("after another start: %d items, want 61", got)
	}
	s.stop(t)
	for _, want := range []string{`msg="table is there already and left as it is" table=Orders`, "items are not loaded"} {
		if !strings.Contains(s.log.String(), want) {
			t.Errorf("the log lacks %q:\n%s", want, s.log)
		}
	}
}

// TestLoadFails checks that a fault names file and line, and that nothing is left
// of what was loaded before it.
func TestLoadFails(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		table string // definition, "" for that of Orders
		items string // in Orders.jsonl
		want  string
	}{
		{"line that is no JSON", "", lines("a", 30) + "{\n" + lines("b", 1), "Orders.jsonl:31: unexpected end of JSON input"},
		{"item without its key", "", lines("a", 30) + `{"Item":{"qk":{"S":"x"}}}` + "\n" + lines("b", 40), "Orders.jsonl:31: One or more parameter values were invalid: Missing the key pk in the item"},
		{"item that is too large", "", "\n" + `{"Item":{"pk":{"S":"x"},"v":{"S":"` + strings.Repeat("x", 500<<10) + `"}}}`, "Orders.jsonl:2: Item size has exceeded"},
		{"no definition", " ", lines("a", 1), "there is no table Orders; load its definition as well"},
		{"syntax", "{\n\n\"TableName\": \"Orders\",\n]", lines("a", 1), "tables.json:4: invalid character"},
		{"definition that ends early", ordersTable + "\n{\"TableName\":", lines("a", 1), "tables.json:"},
		{"unknown member", "\n" + strings.Replace(ordersTable, "BillingMode", "Billing", 1), lines("a", 1), `tables.json:2: no definition of a table: json: unknown field "Billing"`},
		{"no name", `{"KeySchema": []}`, lines("a", 1), `tables.json:1: no definition of a table: it has neither "TableName" nor "Table"`},
		{"definition that is refused", strings.Replace(ordersTable, "HASH", "RANGE", 1), lines("a", 1), "tables.json:1: create table Orders: "},
		{"second definition that is refused", ordersTable + "\n" + strings.Replace(ordersTable, `"Orders"`, `"?"`, 1), lines("a", 1), "tables.json:6: create table ?: "},
		{"table defined twice", ordersTable + ordersTable, lines("a", 1), "table Orders is defined twice"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			definition := tt.table
			if definition == "" {
				definition = ordersTable
			}
			args := []string{"serve", "--addr", "127.0.0.1:0", "--log-level", "error", "--dir", filepath.Join(dir, "data"),
				"--load", write(t, filepath.Join(dir, "Orders.jsonl"), tt.items)}
			if definition != " " {
				args = append(args, "--load", write(t, filepath.Join(dir, "tables.json"), definition))
			}
			status, _, stderr := do(t, args...)
			oneLine(t, stderr, tt.want)
			if status != exitFailure {
				t.Errorf("status %d, want 1", status)
			}
			s := serve(t, "--dir", filepath.Join(dir, "data"))
			if got := tables(t, client(s.url)); got != "" {
				t.Errorf("left are the tables %s", got)
			}
			s.stop(t)
		})
	}
}

// TestLoadWrongWay checks that a definition is not taken for items.
func TestLoadWrongWay(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := write(t, filepath.Join(dir, "t.json"), ordersTable)
	for arg, want := range map[string]string{"Orders=" + path: "holds no items", dir: "is a directory"} {
		status, _, stderr := do(t, "serve", "--addr", "127.0.0.1:0", "--load", arg)
		oneLine(t, stderr, want)
		if status != exitFailure {
			t.Errorf("%s: status %d, want 1", arg, status)
		}
	}
}

// TestLoadInterrupted checks that a table whose loading was ended by a kill is
// removed by the next start, and loaded again if that is asked for.
func TestLoadInterrupted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	store, err := durable.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	in, err := parseDefinition([]byte(ordersTable))
	if err != nil {
		t.Fatal(err)
	}
	in.Tags = []types.Tag{{Key: aws.String(loadingTag), Value: aws.String("true")}}
	in.DeletionProtectionEnabled = aws.Bool(true)
	if _, err := store.DB().CreateTable(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	s := serve(t, "--dir", data, "--load", write(t, filepath.Join(dir, "t.json"), ordersTable),
		"--load", write(t, filepath.Join(dir, "Orders.jsonl"), lines("a", 2)))
	if got := count(t, client(s.url), "Orders"); got != 2 {
		t.Errorf("got %d items, want 2", got)
	}
	s.stop(t)
	if want := `level=WARN msg="table was not loaded to the end, and is removed" table=Orders`; !strings.Contains(s.log.String(), want) {
		t.Errorf("the log lacks %q:\n%s", want, s.log)
	}
}

// TestDescribedTables checks that a table made from its description is described in
// the same way, as the AWS CLI prints it and as this server does.
func TestDescribedTables(t *testing.T) {
	t.Parallel()
	const described = `{
    "Table": {
        "AttributeDefinitions": [
            {"AttributeName": "a", "AttributeType": "S"}, {"AttributeName": "b", "AttributeType": "N"}
        ],
        "TableName": "Many",
        "KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}, {"AttributeName": "b", "KeyType": "RANGE"}],
        "TableStatus": "ACTIVE",
        "CreationDateTime": "2024-05-01T10:00:00.123000+02:00",
        "ProvisionedThroughput": {"NumberOfDecreasesToday": 0, "ReadCapacityUnits": 5, "WriteCapacityUnits": 6},
        "TableSizeBytes": 0, "ItemCount": 0,
        "TableArn": "arn:aws:dynamodb:eu-west-1:123456789012:table/Many",
        "TableClassSummary": {"TableClass": "STANDARD_INFREQUENT_ACCESS"},
        "SSEDescription": {"Status": "ENABLED", "SSEType": "KMS", "KMSMasterKeyArn": "arn:aws:kms:us-east-1:1:key/k"},
        "LocalSecondaryIndexes": [{
            "IndexName": "local", "KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}, {"AttributeName": "b", "KeyType": "RANGE"}],
            "Projection": {"ProjectionType": "KEYS_ONLY"}, "IndexSizeBytes": 0, "ItemCount": 0, "IndexArn": "x"
        }],
        "GlobalSecondaryIndexes": [{
            "IndexName": "global", "KeySchema": [{"AttributeName": "b", "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["x"]}, "IndexStatus": "ACTIVE",
            "ProvisionedThroughput": {"NumberOfDecreasesToday": 0, "ReadCapacityUnits": 1, "WriteCapacityUnits": 2}
        }]
    }
}
{"TableDescription": {
    "TableName": "OnDemand", "CreationDateTime": 1714550400.5,
    "AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "B"}],
    "KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}],
    "BillingModeSummary": {"BillingMode": "PAY_PER_REQUEST", "LastUpdateToPayPerRequestDateTime": 1714550400.5},
    "ProvisionedThroughput": {"ReadCapacityUnits": 0, "WriteCapacityUnits": 0},
    "OnDemandThroughput": {"MaxReadRequestUnits": 10, "MaxWriteRequestUnits": -1}
}}`
	dir := t.TempDir()
	first := serve(t, "--load", write(t, filepath.Join(dir, "t.json"), described))
	defer first.stop(t)
	again := ""
	for _, name := range []string{"Many", "OnDemand"} {
		d, err := client(first.url).DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: aws.String(name)})
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(map[string]any{"Table": d.Table})
		if err != nil {
			t.Fatal(err)
		}
		again += string(text)
	}
	second := serve(t, "--load", write(t, filepath.Join(dir, "again.json"), again))
	defer second.stop(t)
	for _, name := range []string{"Many", "OnDemand"} {
		if d := cmp.Diff(shape(t, first, name), shape(t, second, name)); d != "" {
			t.Errorf("table %s (-first +second):\n%s", name, d)
		}
	}
	many := shape(t, first, "Many")
	for _, want := range []string{`"ReadCapacityUnits":5`, "STANDARD_INFREQUENT_ACCESS", "key/k", `"NonKeyAttributes":["x"]`, "KEYS_ONLY", `"WriteCapacityUnits":2`} {
		if !strings.Contains(many, want) {
			t.Errorf("table Many lacks %s: %s", want, many)
		}
	}
	if got, want := shape(t, first, "OnDemand"), `"MaxReadRequestUnits":10`; !strings.Contains(got, want) {
		t.Errorf("table OnDemand lacks %s: %s", want, got)
	}
}

// shape is the description of a table without what differs from one to the next.
func shape(t *testing.T, s *server, table string) string {
	t.Helper()
	out, err := client(s.url).DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: aws.String(table)})
	if err != nil {
		t.Fatal(err)
	}
	d := out.Table
	d.CreationDateTime, d.TableId = nil, nil
	if d.TableClassSummary != nil {
		d.TableClassSummary.LastUpdateDateTime = nil
	}
	if d.BillingModeSummary != nil {
		d.BillingModeSummary.LastUpdateToPayPerRequestDateTime = nil
	}
	text, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestExport checks that what is exported is what was loaded, from a directory and
// from a server, plain and compressed.
func TestExport(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	want := strings.SplitAfter(lines("order", 60), "\n")
	s := serve(t, "--dir", data, "--load", write(t, filepath.Join(dir, "t.json"), ordersTable),
		"--load", write(t, filepath.Join(dir, "Orders.jsonl"), strings.Join(want, "")))
	slices.Sort(want)
	check := func(how, text string) {
		t.Helper()
		got := strings.SplitAfter(text, "\n")
		slices.Sort(got)
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-loaded +exported):\n%s", how, d)
		}
	}
	status, _, stderr := do(t, "export", "Orders", "--dir", data)
	oneLine(t, stderr, "in use by another process; export from its server with --endpoint")
	if status != exitFailure {
		t.Errorf("status %d, want 1", status)
	}

	packed := filepath.Join(dir, "out.jsonl.gz")
	status, stdout, stderr := do(t, "export", "Orders", "--endpoint", s.url, "--out", packed)
	if status != exitOK || stdout != "" || !strings.Contains(stderr, "items=60") {
		t.Errorf("status %d, stdout %q, stderr %q", status, stdout, stderr)
	}
	check("compressed", unzipped(t, packed))
	status, _, stderr = do(t, "export", "None", "--endpoint", s.url, "--out", filepath.Join(dir, "none"))
	oneLine(t, stderr, "export table None: ")
	if status != exitFailure {
		t.Errorf("status %d, want 1", status)
	}
	for _, name := range []string{"none", "none.partial", "out.jsonl.gz.partial"} {
		if _, err := os.Stat(filepath.Join(dir, name)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s was left behind: %v", name, err)
		}
	}
	s.stop(t)

	status, stdout, stderr = do(t, "export", "Orders", "--dir", data)
	if status != exitOK || stderr != "" {
		t.Errorf("status %d, stderr %q", status, stderr)
	}
	check("from the directory", stdout)
	status, _, stderr = do(t, "export", "Orders", "--dir", filepath.Join(dir, "other"))
	oneLine(t, stderr, "the directory holds no DB")
	if _, err := os.Stat(filepath.Join(dir, "other")); status != exitFailure || err == nil {
		t.Errorf("status %d, and the directory was made: %v", status, err)
	}
	foreign := t.TempDir()
	status, _, stderr = do(t, "export", "Orders", "--dir", foreign)
	oneLine(t, stderr, "the directory holds no DB")
	if left, err := os.ReadDir(foreign); status != exitFailure || err != nil || len(left) > 0 {
		t.Errorf("status %d, and a directory without data now holds %v, error %v", status, left, err)
	}
	status, _, stderr = do(t, "export", "Orders", "--dir", data, "--out", foreign)
	oneLine(t, stderr, "rename")
	if status != exitFailure || strings.Contains(stderr, "already closed") {
		t.Errorf("status %d, stderr %q, want why the file cannot have that name and nothing else", status, stderr)
	}
}

func unzipped(t *testing.T, path string) string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if _, err := b.ReadFrom(z); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestTrouble checks that trouble asked for is given, but not while loading.
func TestTrouble(t *testing.T) {
	t.Parallel()
	provisioned := strings.Replace(ordersTable, `"BillingMode": "PAY_PER_REQUEST"`,
		`"ProvisionedThroughput": {"ReadCapacityUnits": 1000, "WriteCapacityUnits": 1}`, 1)
	for _, keep := range []bool{false, true} {
		dir := t.TempDir()
		args := []string{
			"--load", write(t, filepath.Join(dir, "t.json"), provisioned), "--load", write(t, filepath.Join(dir, "Orders.jsonl"), lines("a", 100)),
			"--throttle", "--index-lag", "1s", "--stale-reads", "1s", "--latency", "1ms",
		}
		if keep {
			args = append(args, "--dir", filepath.Join(dir, "data"))
		}
		s := serve(t, args...)
		c := client(s.url)
		if got := count(t, c, "Orders"); got != 100 {
			t.Errorf("got %d items, want 100", got)
		}
		throttled := false
		for range 5 { // one is more than a table has to begin with
			_, err := c.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("Orders"), Item: item{"pk": str("b")}},
				func(o *dynamodb.Options) { o.RetryMaxAttempts = 1 })
			var exceeded *types.ProvisionedThroughputExceededException
			throttled = throttled || errors.As(err, &exceeded)
		}
		if !throttled {
			t.Error("nothing was throttled")
		}
		s.stop(t)
	}
}

// TestReachable checks that a server that other machines can reach says so.
func TestReachable(t *testing.T) {
	t.Parallel()
	s := serve(t, "--addr", "0.0.0.0:0", "--log-format", "text")
	s.stop(t)
	if want := "can be reached from other machines"; !strings.Contains(s.log.String(), want) {
		t.Errorf("the log lacks %q:\n%s", want, s.log)
	}
}

// TestFailedRequests checks that a request that the server failed to answer is
// logged as an error.
func TestFailedRequests(t *testing.T) {
	t.Parallel()
	var log output
	handler := logged(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "broken", http.StatusInternalServerError)
	}), (&logging{LogLevel: "error", LogFormat: "json"}).logger(&log))
	handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/", nil))
	if got := log.String(); !strings.Contains(got, `"level":"ERROR","msg":"request"`) || !strings.Contains(got, `"status":500,"bytes":7`) {
		t.Errorf("got %s", got)
	}
}

// TestProgress checks that the line is written over, not too often, and taken away
// at the end.
func TestProgress(t *testing.T) {
	t.Parallel()
	var w output
	if p := newProgress(&w); p.w != nil {
		t.Error("something that is no terminal is taken for one")
	}
	p := &progress{w: &w}
	p.show("a long %s", "text")
	p.show("too early")
	p.shown = p.shown.Add(-2 * pace)
	p.show("short")
	p.clear()
	p.clear()
	if got, want := w.String(), "\ra long text\rshort      \r           \r"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
