package memory

import "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

// maxTags is how many tags a table may have. ServiceQuotas.html#limits-tables
const maxTags = 50

// checkTags applies the rules for the tags of one request.
func checkTags(tags []types.Tag) error {
	if len(tags) > maxTags {
		return errTooManyTags()
	}
	return nil
}
