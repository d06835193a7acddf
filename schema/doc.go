// Package schema describes a table of a single-table design as plain data: its
// keys and indexes, its entities with their fields and key templates, and the
// access patterns declared for it. ddb.Table.Schema makes such a description;
// package design turns it into documents, deployments and findings.
//
// The values are copies. They belong to the caller and change nothing.
package schema
