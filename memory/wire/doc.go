// Package wire serves the engine of package memory over HTTP in DynamoDB's own
// protocol, so that any SDK, the AWS CLI and admin tools can talk to it.
//
//	db := memory.New()
//	http.ListenAndServe("127.0.0.1:8000", wire.Handler(db))
//
// The package translates and does nothing else. A request becomes the input
// struct of the SDK, goes to the engine method of the same name that a caller
// in process would use, and the output struct or the exception becomes the
// response. What an operation means is decided in package memory alone.
//
// The translation is driven by the SDK's types: names of members are names of
// fields, with the few exceptions listed in the code, and how a type is decoded
// and encoded is worked out once. Attribute values, most of the traffic, have a
// path of their own.
//
// Observable in the protocol, and kept: the namespaces and message keys of
// exceptions, the texts for members of the wrong type, the checksum header,
// compression both ways, the limits on bodies and headers, the health check at
// GET /, and cross-origin requests.
//
// Differs from DynamoDB: signatures are not verified, an operation that the
// engine leaves out is an UnknownOperationException with a message, and a body
// nested more than a thousand levels deep counts as no JSON.
package wire
