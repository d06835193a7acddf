package ddb

import (
	"strconv"
	"strings"

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
	var conditions []string
	equal := func(name string, c *keyColumn, av types.AttributeValue) {
		in.ExpressionAttributeNames["#"+name] = c.attr
		in.ExpressionAttributeValues[":"+name] = av
		conditions = append(conditions, "#"+name+" = :"+name)
	}
	for i, c := range s.pk {
		equal(numbered("pk", i), c, pk[i])
	}
	for i, av := range order.equal {
		equal(numbered("eq", i), s.sk[i], av)
	}
	if order.op != "" {
		in.ExpressionAttributeNames["#sk"] = s.sk[len(order.equal)].attr
		conditions = append(conditions, order.text())
	}
	if order.lo != nil {
		in.ExpressionAttributeValues[":lo"] = order.lo
	}
	if order.hi != nil {
		in.ExpressionAttributeValues[":hi"] = order.hi
	}
	in.KeyConditionExpression = aws.String(strings.Join(conditions, " AND "))
	return in
}

// numbered tells the placeholders of several attributes for one role apart.
func numbered(name string, i int) string {
	if i == 0 {
		return name
	}
	return name + strconv.Itoa(i)
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
