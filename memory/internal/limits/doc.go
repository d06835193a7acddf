// Package limits holds the documented limits of DynamoDB, one constant each.
//
// The figures come from the developer guide's pages on quotas (ServiceQuotas.html)
// and constraints (Constraints.html); where the service was only observed to
// behave so, the comment says so. KB is 1024 bytes, as DynamoDB counts.
package limits
