package memory

import (
	"context"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// maxTags is how many tags a table may have. Tagging.html#TaggingRestrictions
const maxTags = 50

type (
	tagIn      = dynamodb.TagResourceInput
	untagIn    = dynamodb.UntagResourceInput
	listTagsIn = dynamodb.ListTagsOfResourceInput
)

// What keys and values of tags may be. Tagging.html#TaggingRestrictions
var (
	tagRules = rules[types.Tag]{
		member("key", func(t *types.Tag) field { return characters(t.Key) }, tagKey()...),
		member("value", func(t *types.Tag) field { return characters(t.Value) }, notNull(), maxLength(256)),
	}
	tagKeyRules = rules[string]{member("", func(key *string) field { return characters(key) }, tagKey()...)}
)

func tagKey() []constraint {
	return []constraint{notNull(), minLength(1), maxLength(128)}
}

var tagResourceRules = rules[tagIn]{
	member("resourceArn", func(in *tagIn) field { return text(in.ResourceArn) }, notNull(), minLength(1), maxLength(1283)),
	member("tags", func(in *tagIn) field { return field{null: in.Tags == nil} }, notNull()),
	elements("tags", func(in *tagIn) []types.Tag { return in.Tags }, tagRules),
}

var untagResourceRules = rules[untagIn]{
	member("resourceArn", func(in *untagIn) field { return text(in.ResourceArn) }, notNull(), minLength(1), maxLength(1283)),
	member("tagKeys", func(in *untagIn) field { return field{null: in.TagKeys == nil} }, notNull()),
	elements("tagKeys", func(in *untagIn) []string { return in.TagKeys }, tagKeyRules),
}

var listTagsRules = rules[listTagsIn]{
	member("resourceArn", func(in *listTagsIn) field { return text(in.ResourceArn) }, notNull(), minLength(1), maxLength(1283)),
}

// characters is the field of a text that is measured in Unicode characters.
func characters(p *string) field {
	f := text(p)
	f.size = int64(len([]rune(f.text)))
	return f
}

// TagResource adds tags to a table, in place of those with equal keys.
func (db *DB) TagResource(ctx context.Context, in *dynamodb.TagResourceInput, _ ...func(*dynamodb.Options)) (*dynamodb.TagResourceOutput, error) {
	return run(ctx, db, &tagResource, in)
}

var tagResource = operation[tagIn, noPlan, dynamodb.TagResourceOutput]{
	rules:  tagResourceRules,
	writes: true,
	plan: func(_ *DB, in *tagIn) (noPlan, error) {
		if err := checkTagged(*in.ResourceArn); err != nil {
			return noPlan{}, err
		}
		if len(in.Tags) == 0 {
			return noPlan{}, invalid(textNoTags)
		}
		return noPlan{}, checkTags(in.Tags)
	},
	table: func(in *tagIn) *string { return in.ResourceArn },
	find:  findTagged,
	act: func(c *call[tagIn, noPlan]) (*dynamodb.TagResourceOutput, error) {
		t := c.table()
		t.mu.Lock()
		defer t.mu.Unlock()
		tags := maps.Clone(t.state.tags)
		for _, tag := range c.in.Tags {
			tags[*tag.Key] = *tag.Value
		}
		if len(tags) > maxTags {
			return nil, errTooManyTags()
		}
		t.state.tags = tags
		return &dynamodb.TagResourceOutput{}, c.db.ledger.tableLocked(t)
	},
}

// UntagResource removes tags from a table; it takes keys that are not there.
func (db *DB) UntagResource(ctx context.Context, in *dynamodb.UntagResourceInput, _ ...func(*dynamodb.Options)) (*dynamodb.UntagResourceOutput, error) {
	return run(ctx, db, &untagResource, in)
}

var untagResource = operation[untagIn, noPlan, dynamodb.UntagResourceOutput]{
	rules:  untagResourceRules,
	writes: true,
	plan: func(_ *DB, in *untagIn) (noPlan, error) {
		if err := checkTagged(*in.ResourceArn); err != nil {
			return noPlan{}, err
		}
		if len(in.TagKeys) == 0 {
			return noPlan{}, invalid(textNoTagKeys)
		}
		return noPlan{}, nil
	},
	table: func(in *untagIn) *string { return in.ResourceArn },
	find:  findTagged,
	act: func(c *call[untagIn, noPlan]) (*dynamodb.UntagResourceOutput, error) {
		t := c.table()
		t.mu.Lock()
		defer t.mu.Unlock()
		for _, key := range c.in.TagKeys {
			delete(t.state.tags, key)
		}
		return &dynamodb.UntagResourceOutput{}, c.db.ledger.tableLocked(t)
	},
}

// ListTagsOfResource returns the tags of a table in the order of their keys.
//
// Differs from DynamoDB: all of them are in one page, so that any NextToken is
// refused as not one of ours.
func (db *DB) ListTagsOfResource(ctx context.Context, in *dynamodb.ListTagsOfResourceInput, _ ...func(*dynamodb.Options)) (*dynamodb.ListTagsOfResourceOutput, error) {
	return run(ctx, db, &listTagsOfResource, in)
}

var listTagsOfResource = operation[listTagsIn, noPlan, dynamodb.ListTagsOfResourceOutput]{
	rules: listTagsRules,
	plan: func(_ *DB, in *listTagsIn) (noPlan, error) {
		if in.NextToken != nil {
			return noPlan{}, invalid(textNextToken)
		}
		return noPlan{}, nil
	},
	table: func(in *listTagsIn) *string { return in.ResourceArn },
	find:  findListed,
	act: func(c *call[listTagsIn, noPlan]) (*dynamodb.ListTagsOfResourceOutput, error) {
		t := c.table()
		t.mu.Lock()
		defer t.mu.Unlock()
		out := &dynamodb.ListTagsOfResourceOutput{Tags: []types.Tag{}}
		for _, key := range slices.Sorted(maps.Keys(t.state.tags)) {
			out.Tags = append(out.Tags, types.Tag{Key: aws.String(key), Value: aws.String(t.state.tags[key])})
		}
		return out, nil
	},
}

// checkTagged refuses what is not the ARN of a table; tags belong to tables, not to
// indexes.
func checkTagged(arn string) error {
	switch {
	case !strings.HasPrefix(arn, "arn:"):
		return errNoARN(arn)
	case strings.Contains(arn, "/index/"):
		return errNotTaggable(arn)
	}
	return nil
}

// findTagged finds the table that an ARN names.
func findTagged(db *DB, arn string) (*table, error) {
	if t := db.table(arn); t != nil {
		return t, nil
	}
	return nil, errNoSuchARN(arn)
}

// findListed finds the table whose tags are to be listed. In regions with the
// older validation what is not there is taken for somebody else's (observed), but
// not the indexes of what is.
func findListed(db *DB, arn string) (*table, error) {
	of, _, _ := strings.Cut(arn, "/index/")
	if db.words.older && (!strings.HasPrefix(arn, "arn:") || db.table(of) == nil) {
		return nil, db.errAccessDenied("ListTagsOfResource", arn)
	}
	if err := checkTagged(arn); err != nil {
		return nil, err
	}
	return findTagged(db, arn)
}

// checkTags applies the rules for the tags of one request.
func checkTags(tags []types.Tag) error {
	if len(tags) > maxTags {
		return errTooManyTags()
	}
	for _, tag := range tags {
		if !isTagText(*tag.Key) || !isTagText(*tag.Value) {
			return invalid(textTagAlphabet)
		}
	}
	return nil
}

// isTagText reports whether all characters of s may stand in tags.
// Tagging.html#TaggingRestrictions
func isTagText(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return !unicode.In(r, unicode.L, unicode.N, unicode.Z) && !unicode.IsSpace(r) && !strings.ContainsRune("+-=._:/@", r)
	})
}
