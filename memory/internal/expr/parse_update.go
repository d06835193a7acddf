package expr

import "strings"

func (p *parser) sections() ([]Section, error) {
	var sections []Section
	seen := map[Verb]bool{}
	for p.tok().kind != endOfText {
		t := p.tok()
		verb := Verb(strings.ToUpper(t.text))
		rule, ok := p.actionOf(verb)
		if !ok || t.kind != word {
			return nil, p.unexpected()
		}
		if seen[verb] {
			p.note(repeatedSection, t.at, `The "%s" section can only be used once in an update expression;`, verb)
		}
		seen[verb] = true
		p.next++
		actions, err := p.actions(rule)
		if err != nil {
			return nil, err
		}
		sections = append(sections, Section{At: t.at, Verb: verb, Actions: actions})
	}
	return sections, nil
}

// actionOf returns the rule for the members of a verb's section.
func (p *parser) actionOf(v Verb) (rule func() (Operand, error), ok bool) {
	switch v {
	case Set:
		return p.assigned, true
	case Remove:
		return func() (Operand, error) { return nil, nil }, true
	case Add, Delete:
		return p.member, true
	}
	return nil, false
}

func (p *parser) actions(rule func() (Operand, error)) ([]Action, error) {
	var actions []Action
	for {
		target, err := p.path()
		if err != nil {
			return nil, err
		}
		v, err := rule()
		if err != nil {
			return nil, err
		}
		actions = append(actions, Action{Target: target, Value: v})
		if !p.accept(",") {
			return actions, nil
		}
	}
}

// member takes what ADD and DELETE allow behind the path.
func (p *parser) member() (Operand, error) {
	t := p.tok()
	if t.kind != valuePlaceholder {
		return nil, p.unexpected()
	}
	p.next++
	return &Value{At: t.at, Name: t.text}, nil
}

// assigned takes an equals sign and the value behind it.
func (p *parser) assigned() (Operand, error) {
	if err := p.expect("="); err != nil {
		return nil, err
	}
	o, _, err := p.sum()
	return o, err
}

// sum takes one operand, or two joined by plus or minus. Parentheses may stand
// around each and around the whole.
func (p *parser) sum() (o Operand, inside bool, err error) {
	left, inside, err := p.addend()
	if err != nil {
		return nil, false, err
	}
	op, ok := p.arithmetic()
	if !ok {
		return left, inside, nil
	}
	if _, nested := left.(*Arithmetic); nested {
		return nil, false, p.unexpected()
	}
	at := p.take().at
	p.operators++
	right, err := p.operand(asAssigned)
	if err != nil {
		return nil, false, err
	}
	return &Arithmetic{At: at, Op: op, Left: left, Right: right}, false, nil
}

func (p *parser) arithmetic() (Op, bool) {
	switch {
	case p.tok().is(string(OpPlus)):
		return OpPlus, true
	case p.tok().is(string(OpMinus)):
		return OpMinus, true
	}
	return "", false
}

// addend takes the beginning of a sum, which may be a whole sum in
// parentheses.
func (p *parser) addend() (o Operand, inside bool, err error) {
	at := p.tok().at
	if !p.accept("(") {
		o, err = p.atom()
		p.use(o, asAssigned)
		return o, false, err
	}
	o, again, err := p.sum()
	if err != nil {
		return nil, false, err
	}
	if again {
		p.redundant(at)
	}
	return o, true, p.expect(")")
}
