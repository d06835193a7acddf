package ddb

import (
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// partition returns the values of a partition key; of a sharded one, that of the
// given shard.
func (s *keySpec) partition(value values, shard int) ([]types.AttributeValue, error) {
	out := make([]types.AttributeValue, len(s.pk))
	for i, c := range s.pk {
		av, err := c.render(value, shard)
		if err != nil {
			return nil, err.in(s)
		}
		out[i] = av
	}
	return out, nil
}

// queryInput writes the key condition. Its placeholders have names, so that
// they never meet the numbered ones of package expression.
func queryInput(t *Table, s *keySpec, pk []types.AttributeValue, order sortCondition) *dynamodb.QueryInput {
	in := &dynamodb.QueryInput{
		TableName:                 aws.String(t.name),
		ExpressionAttributeNames:  map[string]string{},
		ExpressionAttributeValues: map[string]types.AttributeValue{},
	}
	if s.index != "" {
		in.IndexName = aws.String(s.index)
	}
	condition := ""
	and := func(text string) {
		if condition != "" {
			condition += " AND "
		}
		condition += text
	}
	equal := func(p placeholder, c *keyColumn, av types.AttributeValue) {
		in.ExpressionAttributeNames[p.name], in.ExpressionAttributeValues[p.value] = c.attr, av
		and(p.equal)
	}
	for i, c := range s.pk {
		equal(partitionPlaceholders[i], c, pk[i])
	}
	for i, av := range order.equal {
		equal(equalPlaceholders[i], s.sk[i], av)
	}
	if order.op != "" {
		in.ExpressionAttributeNames["#sk"] = s.sk[len(order.equal)].attr
		and(order.text())
	}
	if order.lo != nil {
		in.ExpressionAttributeValues[":lo"] = order.lo
	}
	if order.hi != nil {
		in.ExpressionAttributeValues[":hi"] = order.hi
	}
	in.KeyConditionExpression = &condition
	return in
}

// placeholder is what stands for a key attribute that has one value.
type placeholder struct{ name, value, equal string }

// Placeholders of the partition part, and of attributes before a range.
var (
	partitionPlaceholders = placeholdersOf("pk")
	equalPlaceholders     = placeholdersOf("eq")
)

// placeholdersOf returns those of all attributes that a role can have: #pk, #pk1, …
func placeholdersOf(role string) (out [maxRoleAttrs]placeholder) {
	for i := range out {
		name := role
		if i > 0 {
			name += strconv.Itoa(i)
		}
		out[i] = placeholder{"#" + name, ":" + name, "#" + name + " = :" + name}
	}
	return out
}

// text is the condition on the attribute that a range is over.
func (c sortCondition) text() string {
	switch c.op {
	case "begins_with":
		return "begins_with(#sk, :lo)"
	case "BETWEEN":
		return "#sk BETWEEN :lo AND :hi"
	}
	operand := ":lo"
	if c.lo == nil {
		operand = ":hi"
	}
	return "#sk " + c.op + " " + operand
}
