package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/export"
	"github.com/seed530093c6/ddb/memory"
)

// loadingTag marks tables while they are loaded, so that a start finds those whose
// loading was interrupted by the end of the process.
const loadingTag = "ddb:loading"

// loader fills a DB from files.
type loader struct {
	db       *memory.DB
	logger   *slog.Logger
	progress *progress
	made     []*dynamodb.CreateTableInput
	kept     []string // names of tables that were there before
}

// load makes the tables and items that the arguments of --load name: all of them
// or none, also if the process is killed meanwhile.
func load(ctx context.Context, db *memory.DB, args []string, logger *slog.Logger, p *progress) error {
	l := &loader{db: db, logger: logger, progress: p}
	if err := l.removeUnfinished(ctx); err != nil {
		return err
	}
	sources, err := sourcesOf(args)
	if err != nil {
		return err
	}
	err = l.all(ctx, sources)
	p.clear()
	if err == nil {
		return nil
	}
	for _, in := range l.made {
		if dropErr := l.drop(context.WithoutCancel(ctx), *in.TableName); dropErr != nil {
			return errors.Join(err, fmt.Errorf("remove half of table %s: %w", *in.TableName, dropErr))
		}
	}
	return err
}

// all loads definitions before items.
func (l *loader) all(ctx context.Context, sources []source) error {
	for _, s := range sources {
		if s.table == "" {
			if err := l.tables(ctx, s.path); err != nil {
				return err
			}
		}
	}
	for _, s := range sources {
		if s.table != "" {
			if err := l.items(ctx, s); err != nil {
				return err
			}
		}
	}
	for _, in := range l.made {
		if err := l.finish(ctx, in); err != nil {
			return fmt.Errorf("table %s: %w", *in.TableName, err)
		}
	}
	return nil
}

// source is a file to load.
type source struct {
	path  string
	table string // that its items go to; "" for a file of definitions
}

// assignment is an argument that names a table.
var assignment = regexp.MustCompile(`^([a-zA-Z0-9_.-]{3,255})=(.+)$`)

// sourcesOf finds out what the arguments of --load are.
func sourcesOf(args []string) ([]source, error) {
	sources := make([]source, len(args))
	for i, arg := range args {
		s := source{path: arg}
		if _, err := os.Stat(arg); err != nil {
			if parts := assignment.FindStringSubmatch(arg); parts != nil {
				s = source{path: parts[2], table: parts[1]}
			}
		}
		definition, err := isDefinition(s.path)
		switch {
		case err != nil:
			return nil, err
		case definition && s.table != "":
			return nil, fmt.Errorf("%s holds no items to load into table %s, but a definition; load it as it is", s.path, s.table)
		case !definition && s.table == "":
			s.table = tableNamed(s.path)
		}
		sources[i] = s
	}
	return sources, nil
}

// tableNamed returns the name of a file without directory, ".gz" and extension.
func tableNamed(path string) string {
	name := strings.TrimSuffix(filepath.Base(path), ".gz")
	return strings.TrimSuffix(name, filepath.Ext(name))
}

// tables makes the tables that a file defines.
func (l *loader) tables(ctx context.Context, path string) error {
	for in, err := range definitions(path) {
		if err != nil {
			return err
		}
		if err := l.table(ctx, in.create); err != nil {
			return in.fail(err)
		}
	}
	return nil
}

func (l *loader) table(ctx context.Context, in *dynamodb.CreateTableInput) error {
	name := aws.ToString(in.TableName)
	switch _, err := l.describe(ctx, name); {
	case err == nil && slices.ContainsFunc(l.made, func(o *dynamodb.CreateTableInput) bool { return *o.TableName == name }):
		return fmt.Errorf("table %s is defined twice", name)
	case err == nil:
		l.logger.Info("table is there already and left as it is", "table", name)
		l.kept = append(l.kept, name)
		return nil
	}
	marked := *in
	marked.DeletionProtectionEnabled = nil // until it is loaded
	marked.Tags = append(slices.Clone(in.Tags), types.Tag{Key: aws.String(loadingTag), Value: aws.String("true")})
	if _, err := l.db.CreateTable(ctx, &marked); err != nil {
		return fmt.Errorf("create table %s: %s", name, explain(err))
	}
	l.made = append(l.made, in)
	return l.await(ctx, name)
}

func (l *loader) describe(ctx context.Context, table string) (*types.TableDescription, error) {
	out, err := l.db.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: aws.String(table)})
	if err != nil {
		return nil, err
	}
	return out.Table, nil
}

// await returns once the table can be used.
func (l *loader) await(ctx context.Context, table string) error {
	waiter := dynamodb.NewTableExistsWaiter(l.db, func(o *dynamodb.TableExistsWaiterOptions) {
		o.MinDelay, o.MaxDelay = 50*time.Millisecond, time.Second
	})
	return waiter.Wait(ctx, &dynamodb.DescribeTableInput{TableName: aws.String(table)}, 24*time.Hour)
}

// batchItems is how many items a BatchWriteItem takes.
const batchItems = 25

// items loads the items of a file into a table that was made before. Of two items
// with one key the later stays.
func (l *loader) items(ctx context.Context, s source) error {
	switch _, err := l.describe(ctx, s.table); {
	case err != nil:
		return fmt.Errorf("%s: there is no table %s; load its definition as well, or name another table with --load TABLE=FILE", s.path, s.table)
	case !slices.ContainsFunc(l.made, func(o *dynamodb.CreateTableInput) bool { return *o.TableName == s.table }):
		l.logger.Info("items are not loaded into a table that was there already", "table", s.table, "file", s.path)
		return nil
	}
	var batch []export.Line
	n := 0
	for line, err := range export.ReadFile(s.path) {
		if err != nil {
			return err
		}
		n++
		if batch = append(batch, line); len(batch) < batchItems {
			continue
		}
		if err := l.write(ctx, s.table, batch); err != nil {
			return err
		}
		batch = batch[:0]
		l.progress.show("%s: %d items", s.path, n)
	}
	if err := l.write(ctx, s.table, batch); err != nil {
		return err
	}
	l.progress.clear()
	l.logger.Info("items loaded", "table", s.table, "file", s.path, "items", n)
	return nil
}

// write puts items, in the order of their lines.
func (l *loader) write(ctx context.Context, table string, lines []export.Line) error {
	if len(lines) == 0 {
		return nil
	}
	puts := make([]types.WriteRequest, len(lines))
	for i, line := range lines {
		puts[i].PutRequest = &types.PutRequest{Item: line.Item}
	}
	out, err := l.db.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{table: puts}})
	if err == nil && len(out.UnprocessedItems) == 0 {
		return nil
	}
	for _, line := range lines { // one by one, to find the line at fault
		if _, err := l.db.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String(table), Item: line.Item}); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return line.Fail(errors.New(explain(err)))
		}
	}
	return nil
}

// finish makes a loaded table what its definition says.
func (l *loader) finish(ctx context.Context, in *dynamodb.CreateTableInput) error {
	if aws.ToBool(in.DeletionProtectionEnabled) {
		if _, err := l.db.UpdateTable(ctx, &dynamodb.UpdateTableInput{TableName: in.TableName, DeletionProtectionEnabled: aws.Bool(true)}); err != nil {
			return err
		}
	}
	d, err := l.describe(ctx, *in.TableName)
	if err != nil {
		return err
	}
	_, err = l.db.UntagResource(ctx, &dynamodb.UntagResourceInput{ResourceArn: d.TableArn, TagKeys: []string{loadingTag}})
	return err
}

// removeUnfinished removes tables whose loading was interrupted.
func (l *loader) removeUnfinished(ctx context.Context) error {
	pages := dynamodb.NewListTablesPaginator(l.db, &dynamodb.ListTablesInput{})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return err
		}
		for _, name := range page.TableNames {
			unfinished, err := l.isUnfinished(ctx, name)
			if err != nil {
				return err
			}
			if !unfinished {
				continue
			}
			l.logger.Warn("table was not loaded to the end, and is removed", "table", name)
			if err := l.drop(ctx, name); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *loader) isUnfinished(ctx context.Context, table string) (bool, error) {
	d, err := l.describe(ctx, table)
	if err != nil {
		return false, err
	}
	out, err := l.db.ListTagsOfResource(ctx, &dynamodb.ListTagsOfResourceInput{ResourceArn: d.TableArn})
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(out.Tags, func(t types.Tag) bool { return *t.Key == loadingTag }), nil
}

// drop deletes a table and returns once it is gone.
func (l *loader) drop(ctx context.Context, table string) error {
	if err := l.await(ctx, table); err != nil {
		return err
	}
	if _, err := l.db.UpdateTable(ctx, &dynamodb.UpdateTableInput{
		TableName: aws.String(table), DeletionProtectionEnabled: aws.Bool(false),
	}); err != nil {
		return err
	}
	if err := l.await(ctx, table); err != nil {
		return err
	}
	if _, err := l.db.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: aws.String(table)}); err != nil {
		return err
	}
	waiter := dynamodb.NewTableNotExistsWaiter(l.db, func(o *dynamodb.TableNotExistsWaiterOptions) {
		o.MinDelay, o.MaxDelay = 50*time.Millisecond, time.Second
	})
	return waiter.Wait(ctx, &dynamodb.DescribeTableInput{TableName: aws.String(table)}, 24*time.Hour)
}
