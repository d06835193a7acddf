// Package eval gives the expressions of a request their meaning.
//
// [Compile] takes the expressions of one request with their placeholder maps,
// applies every check that needs no table, in the service's order, and returns
// bound trees: names are resolved, values converted, functions known. Running a
// bound tree looks up no placeholder and changes nothing that it reads.
//
//   - [Condition] decides on an item (ConditionExpression, FilterExpression).
//   - [Projection] cuts an item down (ProjectionExpression).
//   - [Update] makes a new image of an old one (UpdateExpression).
//   - [KeyCondition] becomes one partition and one interval of sort keys, once
//     the key of the table or index is known (KeyConditionExpression).
//
// The same trees can be built without text, for the parameters that say the same
// in another form: see [NewCondition], [NewProjection], [NewUpdate] and
// [NewKeyCondition].
//
// Everything here is immutable once made and safe for concurrent use.
package eval
