package wire_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/internal/bare"
)

// ordersTable is where parcels are.
func ordersTable() *dynamodb.CreateTableInput {
	in := appTable()
	in.TableName, in.GlobalSecondaryIndexes, in.AttributeDefinitions = aws.String("Orders"), nil, in.AttributeDefinitions[:2]
	return in
}

// apiCall makes a call.
type apiCall func(ctx context.Context, c *dynamodb.Client, n int) error

// loads are the calls that benchmarks make, of which n tells the how manieth it is.
var loads = []struct {
	name string
	call apiCall
}{
	{"GetItem", func(ctx context.Context, c *dynamodb.Client, n int) error {
		_, err := c.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String("Orders"), Key: bare.ParcelKey(n % loaded)})
		return err
	}},
	{"PutItem", func(ctx context.Context, c *dynamodb.Client, n int) error {
		it := bare.Parcel(n % loaded)
		it["count"] = num(strconv.Itoa(n))
		_, err := c.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String("Orders"), Item: it})
		return err
	}},
	{"Query", func(ctx context.Context, c *dynamodb.Client, n int) error {
		_, err := c.Query(ctx, &dynamodb.QueryInput{
			TableName: aws.String("Orders"), KeyConditionExpression: aws.String("PK = :pk AND begins_with(SK, :sk)"),
			ExpressionAttributeValues: item{":pk": bare.Parcel(n % loaded)["PK"], ":sk": str("ORDER#")}, Limit: aws.Int32(100),
		})
		return err
	}},
	{"BatchWriteItem", func(ctx context.Context, c *dynamodb.Client, n int) error {
		writes := make([]types.WriteRequest, 25)
		for i := range writes {
			it := bare.Parcel((n*25 + i) % loaded)
			it["count"] = num(strconv.Itoa(n))
			writes[i].PutRequest = &types.PutRequest{Item: it}
		}
		_, err := c.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{"Orders": writes}})
		return err
	}},
	{"TransactWriteItems", func(ctx context.Context, c *dynamodb.Client, n int) error {
		actions := make([]types.TransactWriteItem, 5)
		for i := range actions {
			actions[i].Update = &types.Update{
				TableName: aws.String("Orders"), Key: bare.ParcelKey((n*5 + i) % loaded),
				UpdateExpression:    aws.String("SET #s = :s ADD visits :one"),
				ConditionExpression: aws.String("attribute_exists(PK)"), ExpressionAttributeNames: map[string]string{"#s": "status"},
				ExpressionAttributeValues: item{":s": str("PAID"), ":one": num("1")},
			}
		}
		_, err := c.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: actions})
		return err
	}},
}

// loaded is how many items the table has when the load begins.
const loaded = 2_000

// fill writes items to a table by batches.
func fill(b *testing.B, c *dynamodb.Client, from, to int) {
	b.Helper()
	for n := from; n < to; n += 25 {
		var writes []types.WriteRequest
		for i := n; i < min(n+25, to); i++ {
			writes = append(writes, types.WriteRequest{PutRequest: &types.PutRequest{Item: bare.Parcel(i)}})
		}
		if _, err := c.BatchWriteItem(b.Context(), &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{"Orders": writes}}); err != nil {
			b.Fatal(err)
		}
	}
}

// client returns a client with so many connections.
func (c *child) client(b *testing.B, connections int) *dynamodb.Client {
	transport := &http.Transport{MaxConnsPerHost: connections, MaxIdleConnsPerHost: connections}
	b.Cleanup(transport.CloseIdleConnections)
	return dynamodb.New(clientOptions(c.url, &patient{http.Client{Transport: transport}}))
}

// patient sends bodies that stay open. The SDK closes the body of a request as soon
// as it is answered; where the transport has yet to see that nothing follows, it
// takes that for a fault and gives up the connection.
type patient struct{ http.Client }

func (p *patient) Do(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	req = req.Clone(req.Context())
	req.Body = io.NopCloser(bytes.NewReader(body))
	return p.Client.Do(req)
}

// recorder keeps the body of the last response.
type recorder struct{ body []byte }

func (r *recorder) Do(req *http.Request) (*http.Response, error) {
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	r.body, err = io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	if err := resp.Body.Close(); err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(bytes.NewReader(r.body))
	return resp, nil
}

// teach tells a canned server what the engine's answers to.
func teach(b *testing.B, engine, canned *child) {
	b.Helper()
	var heard recorder
	c := dynamodb.New(clientOptions(engine.url, &heard))
	var replies []reply
	for _, l := range loads {
		if err := l.call(b.Context(), c, 0); err != nil {
			b.Fatal(err)
		}
		replies = append(replies, reply{Target: "DynamoDB_20120810." + l.name, Body: string(heard.body)})
	}
	body, err := json.Marshal(replies)
	if err != nil {
		b.Fatal(err)
	}
	req, err := http.NewRequestWithContext(b.Context(), http.MethodPut, canned.url, bytes.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		b.Fatal(err)
	}
	if err := resp.Body.Close(); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkLoad drives the engine's server through the SDK's client, and in turns
// with it a server of package net/http that answers with as many bytes and does
// nothing for it. It reports the processor time of both per request, server-ns/op
// and canned-ns/op, and the first as a multiple of the second, x-canned.
func BenchmarkLoad(b *testing.B) {
	engine, canned := startChild(b, "engine"), startChild(b, "canned")
	c := engine.client(b, 1)
	if _, err := c.CreateTable(b.Context(), ordersTable()); err != nil {
		b.Fatal(err)
	}
	fill(b, c, 0, loaded)
	teach(b, engine, canned)
	for _, connections := range []int{1, 16} {
		for _, l := range loads {
			b.Run(fmt.Sprintf("op=%s/connections=%d", l.name, connections), func(b *testing.B) {
				to := []*dynamodb.Client{engine.client(b, connections), canned.client(b, connections)}
				var n atomic.Int64
				both := func(pb *testing.PB) {
					for pb.Next() {
						i := int(n.Add(1))
						for _, c := range to {
							if err := l.call(b.Context(), c, i); err != nil {
								b.Error(err)
								return
							}
						}
					}
				}
				began := [2]float64{engine.ask(b, "cpu"), canned.ask(b, "cpu")}
				b.SetParallelism(connections)
				b.RunParallel(both)
				took := [2]float64{engine.ask(b, "cpu") - began[0], canned.ask(b, "cpu") - began[1]}
				b.ReportMetric(took[0]/float64(b.N), "server-ns/op")
				b.ReportMetric(took[1]/float64(b.N), "canned-ns/op")
				b.ReportMetric(took[0]/took[1], "x-canned")
			})
		}
	}
}

// BenchmarkStart starts both servers in turns, and reports the processor time that
// they take from the start to their first answer.
func BenchmarkStart(b *testing.B) {
	var took [2]float64
	for b.Loop() {
		for i, kind := range []string{"engine", "canned"} {
			c := startChild(b, kind)
			req, err := http.NewRequestWithContext(b.Context(), http.MethodPost, c.url, strings.NewReader("{}"))
			if err != nil {
				b.Fatal(err)
			}
			req.Header.Set("X-Amz-Target", "DynamoDB_20120810.ListTables")
			req.Header.Set("Content-Type", "application/x-amz-json-1.0")
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				b.Fatal(err)
			}
			if err := resp.Body.Close(); err != nil {
				b.Fatal(err)
			}
			took[i] += c.ask(b, "cpu")
			c.stop()
		}
	}
	b.ReportMetric(took[0]/float64(b.N), "server-ns/op")
	b.ReportMetric(took[1]/float64(b.N), "canned-ns/op")
	b.ReportMetric(took[0]/took[1], "x-canned")
}

// BenchmarkFootprint loads 100,000 items of 400 bytes and reports what the server
// has in memory for each.
func BenchmarkFootprint(b *testing.B) {
	const items = 100_000
	for b.Loop() {
		engine := startChild(b, "engine")
		c := engine.client(b, 1)
		if _, err := c.CreateTable(b.Context(), ordersTable()); err != nil {
			b.Fatal(err)
		}
		before := engine.ask(b, "heap")
		fill(b, c, 0, items)
		b.ReportMetric((engine.ask(b, "heap")-before)/items, "heap-B/item")
		engine.stop()
	}
}
