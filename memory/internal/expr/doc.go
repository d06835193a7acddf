// Package expr is the syntax of DynamoDB's expressions: [Parse] turns a text
// into a [Tree], and [Tree.String] turns a tree back into a text that parses to
// an equal one. The package knows neither values nor items; what a tree means
// is the business of package eval.
//
// Five kinds of expression share one set of tokens and one notion of a document
// path (Expressions.html):
//
//	condition   = condition OR condition | condition AND condition | NOT condition
//	            | operand comparator operand | operand BETWEEN operand AND operand
//	            | operand IN ( operand, … ) | function | ( condition )
//	update      = { SET path = value, … | REMOVE path, … | ADD path :v, … | DELETE path :v, … }
//	value       = operand | operand + operand | operand - operand
//	projection  = path, …
//	operand     = path | :v | function | ( operand )
//	function    = name ( operand, … )
//	path        = name { .name | [index] }
//
// A ConditionExpression, FilterExpression or KeyConditionExpression is a
// condition. From tight to loose bind comparisons, NOT, AND, OR. Keywords may be
// written in any letter case, functions may not.
//
// Parse reports what can be known from the text alone, and of several faults
// the one the service reports: first the size, then the first error of syntax,
// then one class of fault after the other over the whole text. Whether a
// function has the right number and kinds of operands is not decided here.
//
// The size limit, which is checked before anything else, also bounds how deep a
// tree and the parser's recursion can be.
package expr
