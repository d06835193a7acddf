// Package lambdaevent takes the records of a stream from the event types of
// package github.com/aws/aws-lambda-go/events:
//
//	changes := ddb.NewChanges(table)
//	ddb.OnInsert(changes, users, greet)
//	lambda.Start(lambdaevent.Handler(changes))
//
// A function that has no use for those types does without this package:
// lambda.StartHandler(changes) has package ddb read the event itself.
package lambdaevent
