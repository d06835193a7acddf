package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/design"
	"github.com/seed530093c6/ddb/examples/internal/backend"
	"github.com/seed530093c6/ddb/examples/shop/schema"
	"github.com/seed530093c6/ddb/memory"
	plain "github.com/seed530093c6/ddb/schema"
)

// settings are what the table is to be deployed with.
var settings = design.Settings{
	Stream:              types.StreamViewTypeNewAndOldImages,
	PointInTimeRecovery: true,
	Tags:                map[string]string{"service": "shop"},
}

// accepted are findings that are meant.
var accepted = []design.Acceptance{
	{Code: design.ManyIndexes, Subject: "订单", Why: "each index answers one of the questions S4 to S10"},
}

// report is what the program writes.
type report struct {
	shop    schema.Shop
	db      backend.DB
	traffic *design.Traffic
	out     string // a directory, "" for none
}

func (r report) write(ctx context.Context, w io.Writer) error {
	table, err := r.shop.Table.Schema()
	if err != nil {
		return err
	}
	items, err := design.Sample(ctx, r.db, table.Name, 1000)
	if err != nil {
		return err
	}
	seen := design.Evidence{Items: items, Usage: r.traffic.Usage()}
	if engine, ok := r.db.(*memory.DB); ok {
		seen.Heat = engine.Heat(table.Name)
	}
	findings, stale := design.Accept(design.Check(table, seen), accepted...)
	patterns(w, table, seen.Usage)
	fmt.Fprintf(w, "\nFindings\n")
	for _, f := range findings {
		fmt.Fprintf(w, "  %s %s: %s\n    why:  %s\n    mend: %s\n", f.Level, f.Code, f.Subject, f.Reason, f.Mend)
	}
	for _, a := range stale {
		fmt.Fprintf(w, "  accepted in vain: %s %s\n", a.Code, a.Subject)
	}
	deployment, err := design.Deploy(r.shop.Table, settings)
	if err != nil {
		return err
	}
	drift, err := deployment.Drift(ctx, r.db)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "\nDrift\n")
	for _, d := range drift {
		fmt.Fprintf(w, "  %s\n", d)
	}
	return r.files(w, table, seen, findings, deployment)
}

// patterns lists the access patterns with what each has cost.
func patterns(w io.Writer, table plain.Table, usage []design.Usage) {
	fmt.Fprintf(w, "\nAccess patterns\n")
	for _, p := range table.Patterns {
		fmt.Fprintf(w, "  %s\n", p.Name)
		for _, s := range p.Steps {
			from := "the table"
			if s.Index != "" {
				from = s.Index
			}
			fmt.Fprintf(w, "    %s of %s: %s\n", s.Operation, from, s.Key)
		}
		for _, u := range usage {
			if u.Pattern == p.Name {
				fmt.Fprintf(w, "    = calls %d, items %d of %d examined, units %.1f\n", u.Calls, u.Items, u.Examined, u.Units)
			}
		}
	}
}

// files makes the documents and templates, and writes them if there is where to.
func (r report) files(w io.Writer, table plain.Table, seen design.Evidence, findings []design.Finding, d *design.Deployment) error {
	template, err := d.CloudFormation()
	if err != nil {
		return err
	}
	configuration, err := d.Terraform()
	if err != nil {
		return err
	}
	model, err := design.Workbench{Author: "shop", Items: seen.Items[:min(len(seen.Items), 6)]}.Model(table)
	if err != nil {
		return err
	}
	document := design.Document{Table: table, Usage: seen.Usage, Items: seen.Items, Findings: findings}.Markdown()
	fmt.Fprintf(w, "\nFiles\n")
	for _, f := range []struct {
		name string
		text []byte
	}{
		{table.Name + ".md", document},
		{table.Name + ".template.json", template},
		{table.Name + ".tf.json", configuration},
		{table.Name + ".workbench.json", model},
	} {
		fmt.Fprintf(w, "  %-24s %6d bytes\n", f.name, len(f.text))
		if r.out == "" {
			continue
		}
		if err := os.WriteFile(filepath.Join(r.out, f.name), f.text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
