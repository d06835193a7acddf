package memory

import (
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/memory/internal/av"
	"github.com/seed530093c6/ddb/memory/internal/eval"
	"github.com/seed530093c6/ddb/memory/internal/expr"
)

// The parameters from before there were expressions. They are checked by rules
// of their own and then become the same conditions, updates and projections.
// LegacyConditionalParameters.html

// legacyRequest holds the legacy parameters of one request; nil means absent.
type legacyRequest struct {
	attributesToGet []string
	updates         map[string]types.AttributeValueUpdate
	expected        map[string]types.ExpectedAttributeValue
	operator        types.ConditionalOperator
	keyConditions   map[string]types.Condition
	queryFilter     map[string]types.Condition
	scanFilter      map[string]types.Condition
}

// isEmpty reports whether the request has none of them.
func (l *legacyRequest) isEmpty() bool {
	return l.attributesToGet == nil && l.updates == nil && l.expected == nil && l.operator == "" &&
		l.keyConditions == nil && l.queryFilter == nil && l.scanFilter == nil
}

// parameter is a parameter of a request by name.
type parameter struct {
	name  string
	given bool
}

func given(parameters ...parameter) []string {
	var names []string
	for _, p := range parameters {
		if p.given {
			names = append(names, p.name)
		}
	}
	return names
}

// checkMixing refuses a request with parameters of both sorts. Only KeyConditions
// go together with a ProjectionExpression (observed).
func (l *legacyRequest) checkMixing(w wording, r *eval.Request) error {
	legacy := given(
		parameter{"AttributesToGet", l.attributesToGet != nil},
		parameter{"AttributeUpdates", l.updates != nil},
		parameter{"Expected", l.expected != nil},
		parameter{"QueryFilter", l.queryFilter != nil},
		parameter{"ScanFilter", l.scanFilter != nil},
		parameter{"ConditionalOperator", l.operator != ""},
		parameter{"KeyConditions", l.keyConditions != nil && (r.KeyCondition != nil || r.Filter != nil)},
	)
	expressions := given(
		parameter{"UpdateExpression", r.Update != nil},
		parameter{"ProjectionExpression", r.Projection != nil},
		parameter{"FilterExpression", r.Filter != nil},
		parameter{"ConditionExpression", r.Condition != nil},
		parameter{"KeyConditionExpression", r.KeyCondition != nil},
	)
	if legacy == nil || expressions == nil {
		return nil
	}
	return w.text(mixedText(legacy, expressions), true)
}

// take checks the legacy parameters beside the expressions and returns what they
// mean.
func (l legacyRequest) take(w wording, r *eval.Request) (c eval.Compiled, err error) {
	if err := l.checkMixing(w, r); err != nil {
		return c, err
	}
	if err := l.checkNames(); err != nil {
		return c, err
	}
	misplaced := l.checkOperator()
	if misplaced != nil && !w.older {
		return c, misplaced
	}
	for _, step := range []func(wording, *eval.Compiled) error{
		l.compileUpdates, l.compileExpected, l.compileKeyConditions, l.compileFilter, l.compileProjection,
	} {
		if err := step(w, &c); err != nil {
			return c, err
		}
	}
	return c, misplaced // where the older layer has looked at values first (observed)
}

// checkNames applies the limits on attribute names.
func (l *legacyRequest) checkNames() error {
	for _, names := range [][]string{
		slices.Sorted(maps.Keys(l.updates)), slices.Sorted(maps.Keys(l.expected)), slices.Sorted(maps.Keys(l.keyConditions)),
		slices.Sorted(maps.Keys(l.queryFilter)), slices.Sorted(maps.Keys(l.scanFilter)), l.attributesToGet,
	} {
		for _, name := range names {
			if err := checkName(name); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkOperator demands two conditions for a ConditionalOperator to join.
func (l *legacyRequest) checkOperator() error {
	if l.operator == "" {
		return nil
	}
	switch len(l.expected) + len(l.queryFilter) + len(l.scanFilter) {
	case 0:
		return misused(textOperatorAlone)
	case 1:
		return misused(textOperatorOne)
	}
	return nil
}

// join joins conditions as ConditionalOperator says, none for no condition.
func (l *legacyRequest) join(all []eval.Predicate) *eval.Condition {
	switch {
	case len(all) == 0:
		return nil
	case l.operator == types.ConditionalOperatorOr:
		return eval.NewCondition(eval.Any(all...))
	}
	return eval.NewCondition(eval.All(all...))
}

func (l *legacyRequest) compileProjection(_ wording, c *eval.Compiled) error {
	if l.attributesToGet == nil {
		return nil
	}
	var paths []eval.Path
	for i, name := range l.attributesToGet {
		if slices.Contains(l.attributesToGet[:i], name) {
			return errDuplicateAttribute(name)
		}
		paths = append(paths, eval.Name(name))
	}
	c.Projection = eval.NewProjection(paths)
	return nil
}

// compileUpdates takes AttributeUpdates over. Without any the request updates
// nothing, which makes a missing item all the same.
func (l *legacyRequest) compileUpdates(w wording, c *eval.Compiled) error {
	var actions []eval.Action
	for _, name := range slices.Sorted(maps.Keys(l.updates)) {
		a, err := legacyUpdate(w, name, l.updates[name])
		if err != nil {
			return err
		}
		actions = append(actions, a.Legacy())
	}
	if actions != nil {
		c.Update = eval.NewUpdate(actions...)
	}
	return nil
}

func legacyUpdate(w wording, name string, u types.AttributeValueUpdate) (eval.Action, error) {
	at := eval.Name(name)
	if u.Value == nil {
		if u.Action != types.AttributeActionDelete {
			return eval.Action{}, misused(textOnlyDelete)
		}
		return eval.Remove(at), nil
	}
	v, err := av.FromSDK(u.Value)
	if err != nil {
		return eval.Action{}, w.fault(err)
	}
	switch u.Action {
	case types.AttributeActionDelete:
		if !v.Kind().Set() {
			return eval.Action{}, errActionKind("DELETE action with value", v.Kind())
		}
		return eval.Delete(at, v), nil
	case types.AttributeActionAdd:
		if k := v.Kind(); !k.Set() && k != av.N && k != av.L {
			return eval.Action{}, errActionKind("ADD action", k)
		}
		return eval.Add(at, v), nil
	default:
		return eval.Set(at, eval.Constant(v)), nil
	}
}

func (l *legacyRequest) compileExpected(w wording, c *eval.Compiled) error {
	var all []eval.Predicate
	for _, name := range slices.Sorted(maps.Keys(l.expected)) {
		p, err := legacyExpected(w, name, l.expected[name])
		if err != nil {
			return err
		}
		all = append(all, p)
	}
	c.Condition = l.join(all)
	return nil
}

// legacyExpected takes one element of Expected over: either a comparison, or a
// value that must be there, or Exists false.
func legacyExpected(w wording, name string, e types.ExpectedAttributeValue) (eval.Predicate, error) {
	switch op := e.ComparisonOperator; {
	case e.AttributeValueList != nil && e.Value != nil:
		return nil, errExpected("Value and AttributeValueList cannot be used together", name)
	case op != "" && e.Exists != nil:
		return nil, errExpected("Exists and ComparisonOperator cannot be used together", name)
	case op != "" && arityOf(op).most > 0 && e.Value == nil && e.AttributeValueList == nil:
		return nil, errExpected("Value or AttributeValueList must be used with ComparisonOperator: "+string(op), name)
	case op != "":
		list := e.AttributeValueList
		if e.Value != nil {
			list = []types.AttributeValue{e.Value}
		}
		return legacyCondition(w, name, op, list)
	case e.AttributeValueList != nil:
		return nil, errExpected("AttributeValueList can only be used with a ComparisonOperator", name)
	case e.Exists != nil && !*e.Exists && e.Value != nil:
		return nil, errExpected("Value cannot be used when Exists is false", name)
	case e.Exists != nil && !*e.Exists:
		return eval.NotExists(eval.Name(name)), nil
	case e.Value == nil && e.Exists == nil:
		return nil, errExpected("Value must be provided when Exists is null", name)
	case e.Value == nil:
		return nil, errExpected("Value must be provided when Exists is true", name)
	}
	return legacyCondition(w, name, types.ComparisonOperatorEq, []types.AttributeValue{e.Value})
}

func (l *legacyRequest) compileFilter(w wording, c *eval.Compiled) error {
	filter := l.queryFilter
	if filter == nil {
		filter = l.scanFilter
	}
	var all []eval.Predicate
	for _, name := range slices.Sorted(maps.Keys(filter)) {
		p, err := legacyCondition(w, name, filter[name].ComparisonOperator, filter[name].AttributeValueList)
		if err != nil {
			return err
		}
		all = append(all, p)
	}
	c.Filter = l.join(all)
	return nil
}

func (l *legacyRequest) compileKeyConditions(w wording, c *eval.Compiled) error {
	if l.keyConditions == nil {
		return nil
	}
	if len(l.keyConditions) == 0 {
		return invalid(textKeyConditionCount)
	}
	var terms []eval.KeyTerm
	for _, name := range slices.Sorted(maps.Keys(l.keyConditions)) {
		k := l.keyConditions[name]
		values, err := legacyValues(w, k.ComparisonOperator, k.AttributeValueList)
		if err != nil {
			return err
		}
		op, ok := keyOps[k.ComparisonOperator]
		if !ok {
			op = eval.KeyUnfit
		}
		terms = append(terms, eval.KeyTerm{Name: name, Op: op, Values: values})
	}
	c.KeyCondition = eval.NewKeyCondition(terms...)
	return nil
}

// comparators are the operators that compare two values.
var comparators = map[types.ComparisonOperator]expr.Op{
	types.ComparisonOperatorEq: expr.OpEq,
	types.ComparisonOperatorNe: expr.OpNe,
	types.ComparisonOperatorLe: expr.OpLe,
	types.ComparisonOperatorLt: expr.OpLt,
	types.ComparisonOperatorGe: expr.OpGe,
	types.ComparisonOperatorGt: expr.OpGt,
}

// keyOps are the operators that a key can be selected by.
var keyOps = map[types.ComparisonOperator]expr.Op{
	types.ComparisonOperatorEq:         expr.OpEq,
	types.ComparisonOperatorLe:         expr.OpLe,
	types.ComparisonOperatorLt:         expr.OpLt,
	types.ComparisonOperatorGe:         expr.OpGe,
	types.ComparisonOperatorGt:         expr.OpGt,
	types.ComparisonOperatorBetween:    expr.OpBetween,
	types.ComparisonOperatorBeginsWith: eval.KeyBeginsWith,
}

// arity is how many arguments an operator takes.
type arity struct{ least, most int }

func arityOf(op types.ComparisonOperator) arity {
	switch op {
	case types.ComparisonOperatorNull, types.ComparisonOperatorNotNull:
		return arity{0, 0}
	case types.ComparisonOperatorBetween:
		return arity{2, 2}
	case types.ComparisonOperatorIn:
		return arity{1, 1 << 30}
	}
	return arity{1, 1}
}

// takes reports whether an operator takes arguments of a kind.
func takes(op types.ComparisonOperator, k av.Kind) bool {
	switch op {
	case types.ComparisonOperatorEq, types.ComparisonOperatorNe:
		return true
	case types.ComparisonOperatorBeginsWith:
		return k == av.S || k == av.B
	}
	return k.Scalar()
}

// legacyValues checks the arguments of a comparison.
func legacyValues(w wording, op types.ComparisonOperator, list []types.AttributeValue) ([]av.Value, error) {
	values := make([]av.Value, len(list))
	for i, given := range list {
		var err error
		if values[i], err = av.FromSDK(given); err != nil {
			return nil, w.fault(err)
		}
	}
	if n := arityOf(op); len(values) < n.least || len(values) > n.most {
		return nil, errArgumentCount(op)
	}
	for _, v := range values {
		if v.Kind() != values[0].Kind() {
			return nil, misused(textArgumentKinds)
		}
	}
	for _, v := range values {
		if !takes(op, v.Kind()) {
			return nil, errArgumentKind(op, v.Kind())
		}
	}
	if op == types.ComparisonOperatorBetween {
		if order, _ := av.Compare(values[0], values[1]); order > 0 {
			return nil, misused(textBetweenBounds)
		}
	}
	return values, nil
}

// legacyCondition takes one comparison over.
func legacyCondition(w wording, name string, op types.ComparisonOperator, list []types.AttributeValue) (eval.Predicate, error) {
	values, err := legacyValues(w, op, list)
	if err != nil {
		return nil, err
	}
	args := make([]eval.Operand, len(values))
	for i, v := range values {
		args[i] = eval.Constant(v)
	}
	path := eval.Name(name)
	attribute := eval.At(path)
	switch op {
	case types.ComparisonOperatorNull:
		return eval.NotExists(path), nil
	case types.ComparisonOperatorNotNull:
		return eval.Exists(path), nil
	case types.ComparisonOperatorIn:
		return eval.In(attribute, args...), nil
	case types.ComparisonOperatorBetween:
		return eval.Between(attribute, args[0], args[1]), nil
	case types.ComparisonOperatorBeginsWith:
		return eval.BeginsWith(attribute, args[0]), nil
	case types.ComparisonOperatorContains:
		return eval.Contains(attribute, args[0]), nil
	case types.ComparisonOperatorNotContains: // false for a missing attribute (observed)
		return eval.All(eval.Exists(path), eval.Not(eval.Contains(attribute, args[0]))), nil
	}
	return eval.Compare(attribute, comparators[op], args[0]), nil
}
