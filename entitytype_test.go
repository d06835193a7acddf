package ddb_test

import (
	"context"
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/seed530093c6/ddb"
)

// TestWritesLeaveOtherEntitiesAlone asserts that no write but a Put or a Delete
// that need not meet its item changes one that lies under the key and is not of the
// entity.
func TestWritesLeaveOtherEntitiesAlone(t *testing.T) {
	t.Parallel()
	key := order("u", "o", "2024-05-20T12:00:00Z", "NEW")
	one := func(_ Order, err error) error { return err }
	writes := map[string]func(context.Context, shop) error{
		"update": func(ctx context.Context, s shop) error {
			return one(s.orders.Update(key).Set(s.total.Add(1)).Run(ctx))
		},
		"update if": func(ctx context.Context, s shop) error {
			return one(s.orders.Update(key).Set(s.total.Add(1)).If(s.total.Eq(9)).Run(ctx))
		},
		"update of what was": func(ctx context.Context, s shop) error {
			_, err := s.orders.Update(key).Set(s.total.Add(1)).RunOld(ctx)
			return err
		},
		"upsert": func(ctx context.Context, s shop) error {
			return one(s.orders.Upsert(key).Set(s.status.To("PAID")).Run(ctx))
		},
		"modify": func(ctx context.Context, s shop) error {
			return one(s.orders.Modify(ctx, key, func(o *Order) error { o.Total++; return nil }))
		},
		"delete that must": func(ctx context.Context, s shop) error { return s.orders.Delete(key).MustExist().Run(ctx) },
		"delete if": func(ctx context.Context, s shop) error {
			return s.orders.Delete(key).If(s.total.Eq(9)).Run(ctx)
		},
		"update together": func(ctx context.Context, s shop) error {
			return ddb.Transact(s.orders.Update(key).Set(s.total.Add(1))).Run(ctx)
		},
		"upsert together": func(ctx context.Context, s shop) error {
			return ddb.Transact(s.orders.Upsert(key).Set(s.status.To("PAID"))).Run(ctx)
		},
		"check": func(ctx context.Context, s shop) error { return ddb.Transact(s.orders.Check(key)).Run(ctx) },
	}
	for name, discriminator := range map[string]types.AttributeValue{
		"another entity": &types.AttributeValueMemberS{Value: "Other"},
		"none":           nil,
		"a number":       &types.AttributeValueMemberN{Value: "1"},
	} {
		s, db := open(t)
		stored, err := s.orders.Item(&key)
		if err != nil {
			t.Fatal(err)
		}
		if delete(stored, "EntityType"); discriminator != nil {
			stored["EntityType"] = discriminator
		}
		if _, err := db.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("Shop"), Item: stored}); err != nil {
			t.Fatal(err)
		}
		get, err := s.orders.Get(key).Input()
		if err != nil {
			t.Fatal(err)
		}
		for verb, write := range writes {
			if err := write(t.Context(), s); !errors.Is(err, ddb.ErrEntityType) || errors.Is(err, ddb.ErrNotFound) {
				t.Errorf("%s, %s: got %v, want ErrEntityType", name, verb, err)
			}
			out, err := db.GetItem(t.Context(), get)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(stored, out.Item, sdkTypes); diff != "" {
				t.Errorf("%s, %s: the item was changed (-before +after):\n%s", name, verb, diff)
			}
		}
		if err := s.orders.Create(&key).Run(t.Context()); !errors.Is(err, ddb.ErrExists) {
			t.Errorf("%s, create: got %v, want ErrExists", name, err)
		}
		if err := s.orders.Put(&key).Run(t.Context()); err != nil {
			t.Errorf("%s, put: %v", name, err)
		}
	}
}
