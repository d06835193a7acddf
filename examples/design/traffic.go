package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/examples/internal/backend"
	"github.com/seed530093c6/ddb/examples/shop/schema"
)

// seed makes the shop's data, as the file of the example shop has it.
const seed = 2024

// fill creates the table and puts the shop's items into it.
func fill(ctx context.Context, db backend.DB, table *ddb.Table) error {
	items, err := schema.Items(seed)
	if err != nil {
		return err
	}
	if err := backend.CreateTable(ctx, db, table); err != nil {
		return err
	}
	name := table.Name()
	for batch := range slices.Chunk(items, 25) {
		requests := make([]types.WriteRequest, len(batch))
		for i, item := range batch {
			requests[i] = types.WriteRequest{PutRequest: &types.PutRequest{Item: item}}
		}
		for len(requests) > 0 {
			out, err := db.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{name: requests}})
			if err != nil {
				return fmt.Errorf("fill table %s: %w", name, err)
			}
			requests = out.UnprocessedItems[name]
		}
	}
	return nil
}

// ask runs once each access pattern that reads.
func ask(ctx context.Context, p schema.Patterns) error {
	queries := []ddb.QueryOp[schema.Order]{p.OrdersOfUser, p.OrderByID, p.OrdersOfDay, p.OrdersByStatus, p.OrdersOfProduct, p.OrdersOfMay}
	for _, q := range queries {
		for _, err := range q.All(ctx) {
			if err != nil {
				return err
			}
		}
	}
	_, first := p.UserByID.Run(ctx)
	_, second := p.EverythingOfUser.Load(ctx)
	_, third := p.OrderByKey.Run(ctx)
	_, fourth := p.ProductByID.Run(ctx)
	_, fifth := p.UserByEmail.First(ctx)
	_, sixth := p.LatestDocument.First(ctx)
	_, seventh := p.Versions.Count(ctx)
	return errors.Join(first, second, third, fourth, fifth, sixth, seventh)
}
