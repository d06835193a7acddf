package wire

import (
	"errors"
	"net/http"
	"reflect"

	"github.com/aws/smithy-go"
)

// errSyntax reports a body that is not one JSON object. The service gives it no
// message (observed).
var errSyntax error = exception("SerializationException", "")

// exception returns an error that is none of those the SDK models.
func exception(code, message string) error {
	return &smithy.GenericAPIError{Code: code, Message: message, Fault: smithy.FaultClient}
}

// Namespaces of exceptions in the member __type.
const (
	namespaceDynamoDB     = "com.amazonaws.dynamodb.v20120810#"
	namespaceService      = "com.amazon.coral.service#"
	namespaceValidate     = "com.amazon.coral.validate#"
	namespaceAvailability = "com.amazon.coral.availability#"
)

// envelope is how exceptions with one code are sent.
type envelope struct{ namespace, messageKey string }

// envelopes lists what deviates from the form of modelled exceptions: their
// namespace is DynamoDB's, and their message begins small (observed).
var envelopes = map[string]envelope{
	"ValidationException":                  {namespaceValidate, "message"},
	"SerializationException":               {namespaceService, "Message"},
	"UnknownOperationException":            {namespaceService, "message"},
	"AccessDeniedException":                {namespaceService, "Message"},
	"MissingAuthenticationTokenException":  {namespaceService, "message"},
	"IncompleteSignatureException":         {namespaceService, "message"},
	"InvalidSignatureException":            {namespaceService, "message"},
	"UnrecognizedClientException":          {namespaceService, "message"},
	"ThrottlingException":                  {namespaceAvailability, "message"},
	"TransactionCanceledException":         {namespaceDynamoDB, "Message"},
	"IdempotentParameterMismatchException": {namespaceDynamoDB, "Message"},
	"TransactionInProgressException":       {namespaceDynamoDB, "Message"},
}

func envelopeOf(code string) envelope {
	if env, ok := envelopes[code]; ok {
		return env
	}
	return envelope{namespaceDynamoDB, "message"}
}

// errInternal stands for whatever is no error of the service.
var errInternal smithy.APIError = &smithy.GenericAPIError{
	Code:    "InternalServerError",
	Message: "The request processing has failed because of an unknown error, exception or failure.",
	Fault:   smithy.FaultServer,
}

// encodeError appends the body for an error and returns its HTTP status.
func (c *codec) encodeError(dst []byte, err error) ([]byte, int) {
	api, ok := errors.AsType[smithy.APIError](err)
	if !ok {
		api = errInternal
	}
	env := envelopeOf(api.ErrorCode())
	e := encoder{dst}
	e.open('{')
	e.name(0, "__type")
	e.string(env.namespace + api.ErrorCode())
	n := c.encodeDetails(&e, api)
	if text := api.ErrorMessage(); text != "" {
		e.name(n, env.messageKey)
		e.string(text)
	}
	e.close('}')
	if api.ErrorFault() == smithy.FaultServer {
		return e.buf, http.StatusInternalServerError
	}
	return e.buf, http.StatusBadRequest
}

// encodeDetails writes what a modelled exception carries beside its message,
// such as CancellationReasons, into an object with one member, and returns how
// many there are then.
func (c *codec) encodeDetails(e *encoder, api smithy.APIError) int {
	v := reflect.ValueOf(api)
	if _, generic := api.(*smithy.GenericAPIError); generic || v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
		return 1
	}
	return c.plan(v.Type().Elem()).encodeMembers(e, v.Elem(), 1)
}
