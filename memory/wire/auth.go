package wire

import (
	"net/http"
	"strings"
)

// authenticate checks that a request carries credentials in the form of AWS
// Signature Version 4, in its header or its query, with the service's words for
// what is missing (observed). It looks at no signature.
func authenticate(r *http.Request) error {
	header := strings.TrimSpace(r.Header.Get("Authorization"))
	query := r.URL.Query()
	_, inQuery := query["X-Amz-Algorithm"]
	switch {
	case header != "" && inQuery:
		return exception("InvalidSignatureException",
			"Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header.")
	case inQuery:
		return incompleteQuery(query.Get)
	case !strings.HasPrefix(header, "AWS4-"):
		return exception("MissingAuthenticationTokenException", "Request is missing Authentication Token")
	}
	return incompleteHeader(r, header)
}

func incompleteHeader(r *http.Request, authorization string) error {
	given := make(map[string]string)
	for _, part := range strings.FieldsFunc(authorization, func(c rune) bool { return c == ',' || c == ' ' })[1:] {
		name, value, _ := strings.Cut(part, "=")
		given[name] = value
	}
	var text strings.Builder
	for _, name := range []string{"Credential", "Signature", "SignedHeaders"} {
		if given[name] == "" {
			text.WriteString("Authorization header requires '" + name + "' parameter. ")
		}
	}
	if r.Header.Get("X-Amz-Date") == "" && r.Header.Get("Date") == "" {
		text.WriteString("Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. ")
	}
	if text.Len() == 0 {
		return nil
	}
	return exception("IncompleteSignatureException", text.String()+"Authorization="+authorization)
}

func incompleteQuery(given func(name string) string) error {
	var text strings.Builder
	for _, name := range []string{"X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Signature", "X-Amz-SignedHeaders", "X-Amz-Date"} {
		if given(name) == "" {
			text.WriteString("AWS query-string parameters must include '" + name + "'. ")
		}
	}
	if text.Len() == 0 {
		return nil
	}
	return exception("IncompleteSignatureException", text.String()+"Re-examine the query-string parameters.")
}
