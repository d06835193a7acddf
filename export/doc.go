// Package export reads and writes items in the format of DynamoDB's table
// exports: one JSON object a line, with the item under "Item" and every value
// under its type.
//
//	{"Item":{"PK":{"S":"USER#U001"},"年龄":{"N":"42"}}}
//
// Files may be compressed with gzip, which is found out. Numbers stay texts, so
// that none loses digits.
package export
