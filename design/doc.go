// Package design makes what a team needs beside the code from the definitions of
// one table: deployments, documents, and answers to the question whether the
// design is right.
//
// # Deployment
//
// [Deploy] takes a table and the settings that entities do not say, such as
// billing and streams. The [Deployment] is a CreateTableInput, a CloudFormation
// template or a Terraform configuration, and [Deployment.Drift] compares it with
// the table that exists.
//
// # Documents
//
// [Document] writes the table as Markdown with a diagram: entities, keys, indexes
// and the access patterns declared with ddb.Table.Declare. [Workbench] writes it
// as a data model of NoSQL Workbench.
//
// # Check
//
// [Check] looks for designs that fail later: keys that few values share, numbers
// and times that do not sort, indexes that nobody reads or that carry too much or
// too little, large and deeply nested items, filters that drop most of what they
// read, hot keys, scans. Much of it follows from the definitions; the rest needs
// [Evidence]: sample items, the traffic that a [Traffic] has observed in tests or
// in production, and the heat of a memory.DB. Each [Finding] says what is wrong,
// why that matters, and how to mend it.
//
// All output depends on its input alone, so that it can be kept under version
// control and compared.
package design
