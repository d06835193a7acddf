package schema

import "github.com/seed530093c6/ddb"

// nowhere is the backend of a table that only encodes.
type nowhere struct{ ddb.Backend }
