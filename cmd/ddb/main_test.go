package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
)

// programVariable makes this binary the program itself, instead of running tests.
const programVariable = "DDB_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(programVariable) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// output is what a command has written so far.
type output struct {
	mu  sync.Mutex // guards buf
	buf bytes.Buffer
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.Write(b)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}

var serving = regexp.MustCompile(`msg=serving url=(http://\S+)`)

// awaitURL returns the address that a server names once it can be used.
func awaitURL(t *testing.T, log *output) string {
	t.Helper()
	for deadline := time.After(30 * time.Second); ; {
		if found := serving.FindStringSubmatch(log.String()); found != nil {
			return found[1]
		}
		select {
		case <-deadline:
			t.Fatalf("the server does not start:\n%s", log)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// server is a run of ddb serve within the process of the test.
type server struct {
	url    string
	log    *output
	cancel context.CancelFunc
	status chan int
}

func serve(t *testing.T, args ...string) *server {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	s := &server{log: new(output), cancel: cancel, status: make(chan int, 1)}
	go func() {
		s.status <- run(ctx, append([]string{"serve", "--addr", "127.0.0.1:0"}, args...), io.Discard, s.log)
	}()
	s.url = awaitURL(t, s.log)
	return s
}

// stop stops the server and demands that it ends well.
func (s *server) stop(t *testing.T) {
	t.Helper()
	s.cancel()
	if status := <-s.status; status != exitOK {
		t.Errorf("status %d:\n%s", status, s.log)
	}
}

func client(url string) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		BaseEndpoint: aws.String(url), Region: "us-east-1",
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "any", SecretAccessKey: "any"}, nil
		}),
	})
}

// do runs a command to its end.
func do(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var out, err output
	status = run(ctx, args, &out, &err)
	return status, out.String(), err.String()
}

func write(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

type item = map[string]types.AttributeValue

func str(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

const ordersTable = `{
	"TableName": "Orders", "BillingMode": "PAY_PER_REQUEST",
	"AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
	"KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}]
}`

func createOrders(t *testing.T, c *dynamodb.Client) {
	t.Helper()
	if _, err := c.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: aws.String("Orders"), BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("pk"), AttributeType: types.ScalarAttributeTypeS}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("pk"), KeyType: types.KeyTypeHash}},
	}); err != nil {
		t.Fatal(err)
	}
}

func put(t *testing.T, c *dynamodb.Client, pk string) {
	t.Helper()
	if _, err := c.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("Orders"), Item: item{"pk": str(pk)}}); err != nil {
		t.Fatal(err)
	}
}

func count(t *testing.T, c *dynamodb.Client, table string) int {
	t.Helper()
	out, err := c.Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String(table)})
	if err != nil {
		t.Fatal(err)
	}
	return len(out.Items)
}

func tables(t *testing.T, c *dynamodb.Client) string {
	t.Helper()
	out, err := c.ListTables(t.Context(), &dynamodb.ListTablesInput{})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(out.TableNames, " ")
}

// TestServe drives the server with the SDK's client: it answers at the address
// that it names, with the settings that flags give, and ends when it is told to.
func TestServe(t *testing.T) {
	t.Parallel()
	s := serve(t, "--region", "eu-west-3", "--account", "123456789012", "--partitions", "3", "--log-level", "debug")
	c := client(s.url)
	createOrders(t, c)
	put(t, c, "a")
	if got := count(t, c, "Orders"); got != 1 {
		t.Errorf("got %d items, want 1", got)
	}
	d, err := c.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: aws.String("Orders")})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := *d.Table.TableArn, "arn:aws:dynamodb:eu-west-3:123456789012:table/Orders"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	s.stop(t)
	if _, err := c.ListTables(t.Context(), &dynamodb.ListTablesInput{}, func(o *dynamodb.Options) { o.RetryMaxAttempts = 1 }); err == nil {
		t.Error("the server still answers")
	}
	for _, want := range []string{"msg=stopping", "level=DEBUG msg=request method=POST path=/ target=DynamoDB_20120810.PutItem status=200"} {
		if !strings.Contains(s.log.String(), want) {
			t.Errorf("the log lacks %q:\n%s", want, s.log)
		}
	}
}

// TestServeExpires checks that items whose time to live is over are removed while
// the server runs, that the stream says by whom, and that both outlive a start.
func TestServeExpires(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := serve(t, "--dir", dir, "--expire", "0s", "--partitions", "1")
	c := client(s.url)
	createOrders(t, c)
	if _, err := c.UpdateTimeToLive(t.Context(), &dynamodb.UpdateTimeToLiveInput{
		TableName: aws.String("Orders"), TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: aws.String("ttl"), Enabled: aws.Bool(true)},
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.UpdateTable(t.Context(), &dynamodb.UpdateTableInput{
		TableName: aws.String("Orders"), StreamSpecification: &types.StreamSpecification{StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeKeysOnly},
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("Orders"), Item: item{
		"pk": str("old"), "ttl": &types.AttributeValueMemberN{Value: fmt.Sprint(time.Now().Unix() - 1)},
	}}); err != nil {
		t.Fatal(err)
	}
	s.stop(t)
	s = serve(t, "--dir", dir, "--expire", "1ms", "--log-level", "debug")
	c = client(s.url)
	for count(t, c, "Orders") > 0 && t.Context().Err() == nil {
	}
	reader := dynamodbstreams.New(dynamodbstreams.Options{BaseEndpoint: aws.String(s.url), Region: "us-east-1", Credentials: c.Options().Credentials})
	streams, err := reader.ListStreams(t.Context(), &dynamodbstreams.ListStreamsInput{})
	if err != nil {
		t.Fatal(err)
	}
	arn := streams.Streams[0].StreamArn
	d, err := reader.DescribeStream(t.Context(), &dynamodbstreams.DescribeStreamInput{StreamArn: arn})
	if err != nil {
		t.Fatal(err)
	}
	it, err := reader.GetShardIterator(t.Context(), &dynamodbstreams.GetShardIteratorInput{
		StreamArn: arn, ShardId: d.StreamDescription.Shards[0].ShardId, ShardIteratorType: streamtypes.ShardIteratorTypeTrimHorizon,
	})
	if err != nil {
		t.Fatal(err)
	}
	out, err := reader.GetRecords(t.Context(), &dynamodbstreams.GetRecordsInput{ShardIterator: it.ShardIterator})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(out.Records); n != 2 || out.Records[1].UserIdentity == nil || *out.Records[1].UserIdentity.PrincipalId != "dynamodb.amazonaws.com" {
		t.Errorf("records are %+v, want one that was put and one that the service removed", out.Records)
	}
	s.stop(t)
	if !strings.Contains(s.log.String(), `msg="items expired" count=1`) {
		t.Errorf("the log does not say what expired:\n%s", s.log)
	}
}

// TestServeKeeps checks that --dir keeps what was written, and that a second
// server is refused while the first one runs.
func TestServeKeeps(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new", "data")
	for i, sync := range []string{"always", "interval", "always"} {
		s := serve(t, "--dir", dir, "--sync", sync)
		c := client(s.url)
		if i == 0 {
			createOrders(t, c)
		}
		put(t, c, sync)
		if got, want := count(t, c, "Orders"), min(2, i+1); got != want {
			t.Errorf("start %d: got %d items, want %d", i, got, want)
		}
		status, _, stderr := do(t, "serve", "--addr", "127.0.0.1:0", "--dir", dir)
		if status != exitFailure || !strings.Contains(stderr, dir+": the directory is in use") {
			t.Errorf("a second server ends with %d, %q", status, stderr)
		}
		s.stop(t)
	}
}

// process is the program in a process of its own.
type process struct {
	*exec.Cmd
	url string
	log *output
}

func startProcess(t *testing.T, args ...string) *process {
	t.Helper()
	p := &process{Cmd: exec.CommandContext(t.Context(), os.Args[0], append([]string{"serve", "--addr", "127.0.0.1:0"}, args...)...), log: new(output)}
	p.Env = append(os.Environ(), programVariable+"=1")
	p.Stderr = p.log
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Process.Kill() })
	p.url = awaitURL(t, p.log)
	return p
}

// TestProcess checks that a server that is killed loses nothing, and that one that
// is asked to end does so, with status 0.
func TestProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := startProcess(t, "--dir", dir)
	createOrders(t, client(p.url))
	for i := range 20 {
		put(t, client(p.url), fmt.Sprint(i))
	}
	if err := p.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = p.Wait() // was killed

	for _, signal := range stopSignals {
		p = startProcess(t, "--dir", dir)
		if got := count(t, client(p.url), "Orders"); got != 20 {
			t.Errorf("got %d items, want 20", got)
		}
		if err := p.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		if err := p.Wait(); err != nil {
			t.Errorf("after %v: %v\n%s", signal, err, p.log)
		}
	}
}

// TestServeFails checks failures that keep a server from starting: status 1, and
// one line that says what to look at.
func TestServeFails(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := serve(t)
	t.Cleanup(func() { s.stop(t) })
	taken := strings.TrimPrefix(s.url, "http://")
	file := write(t, filepath.Join(dir, "file"), "")
	damaged := filepath.Join(dir, "damaged")
	if err := os.Mkdir(damaged, 0o700); err != nil {
		t.Fatal(err)
	}
	segment := write(t, filepath.Join(damaged, "00000000000000000001.log"), "not a log")
	for _, tt := range []struct {
		name string
		args []string
		want string
	}{
		{"port is taken", []string{"--addr", taken}, taken},
		{"directory is a file", []string{"--dir", file}, file},
		{"damaged directory", []string{"--dir", damaged}, segment + ": damaged at byte 0"},
		{"file to load is missing", []string{"--load", file + "s"}, file + "s"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			status, stdout, stderr := do(t, append([]string{"serve", "--addr", "127.0.0.1:0", "--log-level", "error"}, tt.args...)...)
			oneLine(t, stderr, tt.want)
			if status != exitFailure || stdout != "" {
				t.Errorf("status %d, stdout %q, want 1 and nothing", status, stdout)
			}
		})
	}
}

func oneLine(t *testing.T, stderr, want string) {
	t.Helper()
	if !strings.HasPrefix(stderr, "ddb: ") || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, want) {
		t.Errorf("got %q, want one line from ddb with %q", stderr, want)
	}
}

// TestUsage checks command lines that make no sense: status 2 and one line.
func TestUsage(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		args string
		want string
	}{
		{"", `expected one of "serve"`},
		{"sevre", "sevre"},
		{"serve --adr x", "unknown flag --adr"},
		{"serve --addr 8000", `--addr "8000" is no HOST:PORT`},
		{"serve extra", "extra"},
		{"serve --sync never", "always"},
		{"serve --sync interval", "--sync interval needs --dir"},
		{"serve --dir d --sync-interval 0s", "--sync-interval must be positive"},
		{"serve --dir d --sync-interval 1s", "--sync-interval needs --sync interval"},
		{"serve --dir=", "--dir must not be empty"},
		{"serve --partitions 0", "--partitions must be at least 1"},
		{"serve --partitions many", "--partitions"},
		{"serve --transition=-1s", "--transition must not be negative"},
		{"serve --expire=-1s", "--expire must not be negative"},
		{"serve --latency=-1s", "must not be negative"},
		{"serve --account 12", "twelve digits"},
		{"serve --account 12345678901x", "twelve digits"},
		{"serve --region=", "--region must not be empty"},
		{"serve --log-level loud", "debug"},
		{"export --dir d", "<table>"},
		{"export Orders", "--dir or --endpoint"},
		{"export Orders --dir d --endpoint http://h", "can't be used together"},
		{"export Orders --endpoint localhost:8000", "is no URL"},
	} {
		t.Run(tt.args, func(t *testing.T) {
			t.Parallel()
			status, stdout, stderr := do(t, strings.Fields(tt.args)...)
			oneLine(t, stderr, tt.want)
			if status != exitUsage || stdout != "" || !strings.Contains(stderr, "--help") {
				t.Errorf("status %d, stdout %q, stderr %q, want 2, nothing and a hint", status, stdout, stderr)
			}
		})
	}
}

// TestHelp checks that help goes to standard output, shows examples and names
// every flag's default.
func TestHelp(t *testing.T) {
	t.Parallel()
	for args, want := range map[string][]string{
		"--help":         {"serve", "export", "version"},
		"serve --help":   {"ddb serve --dir data", "--load orders-table.json", "127.0.0.1:8000", "us-east-1", "100ms", "SIGTERM"},
		"export --help":  {"ddb export Orders --dir data >Orders.jsonl", "AWS_REGION", ".gz"},
		"version --help": {"Print the version."},
	} {
		status, stdout, stderr := do(t, strings.Fields(args)...)
		if status != exitOK || stderr != "" {
			t.Errorf("%s: status %d, stderr %q", args, status, stderr)
		}
		for _, text := range want {
			if !strings.Contains(stdout, text) {
				t.Errorf("%s does not say %q:\n%s", args, text, stdout)
			}
		}
	}
}

func TestVersion(t *testing.T) {
	t.Parallel()
	status, stdout, stderr := do(t, "version")
	if status != exitOK || stderr != "" || !regexp.MustCompile(`^ddb \S+.* go1\.\S+ \w+/\w+\n$`).MatchString(stdout) {
		t.Errorf("status %d, stdout %q, stderr %q", status, stdout, stderr)
	}
}
