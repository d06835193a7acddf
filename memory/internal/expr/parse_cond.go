package expr

// term is what an opening parenthesis can stand before: a condition, or an
// operand of a comparison that only the next token decides on.
type term struct {
	cond    Cond
	operand Operand
	inside  bool // it stood in parentheses
}

// condition takes what rule takes and requires it to be a condition.
func (p *parser) condition(rule func() (term, error)) (Cond, error) {
	t, err := rule()
	if err != nil {
		return nil, err
	}
	return p.decided(t)
}

// decided returns a term as a condition. A path or value is none: the operator
// it lacks should have been the current token.
func (p *parser) decided(t term) (Cond, error) {
	if t.cond != nil {
		return t.cond, nil
	}
	call, ok := t.operand.(*Call)
	if !ok {
		return nil, p.unexpected()
	}
	p.use(call, asCondition)
	return call, nil
}

func (p *parser) or() (term, error) { return p.chain(OpOr, p.and) }

func (p *parser) and() (term, error) { return p.chain(OpAnd, p.not) }

// chain takes members joined by a logical operator, which groups to the left.
func (p *parser) chain(op Op, member func() (term, error)) (term, error) {
	left, err := member()
	if err != nil {
		return term{}, err
	}
	for p.tok().keyword(string(op)) {
		l, err := p.decided(left)
		if err != nil {
			return term{}, err
		}
		at := p.take().at
		p.operators++
		r, err := p.condition(member)
		if err != nil {
			return term{}, err
		}
		left = term{cond: &Logical{At: at, Op: op, Left: l, Right: r}}
	}
	return left, nil
}

func (p *parser) not() (term, error) {
	at, ok := p.acceptOp(OpNot)
	if !ok {
		return p.comparison()
	}
	p.operators++
	c, err := p.condition(p.not)
	return term{cond: &Not{At: at, Cond: c}}, err
}

// comparison takes a comparison, a condition in parentheses, or an operand
// alone if no operator follows it.
func (p *parser) comparison() (term, error) {
	t, err := p.primary()
	if err != nil || t.cond != nil {
		return t, err
	}
	if at, ok := p.acceptOp(OpBetween); ok {
		c, err := p.between(at, t.operand)
		return term{cond: c}, err
	}
	if at, ok := p.acceptOp(OpIn); ok {
		c, err := p.in(at, t.operand)
		return term{cond: c}, err
	}
	op, ok := comparator(p.tok())
	if !ok {
		return t, nil
	}
	at := p.take().at
	p.operators++
	p.use(t.operand, asOperand)
	right, err := p.operand(asOperand)
	return term{cond: &Compare{At: at, Op: op, Left: t.operand, Right: right}}, err
}

// comparator returns the comparison operator that a token is.
func comparator(t token) (Op, bool) {
	switch op := Op(t.text); op {
	case OpEq, OpNe, OpLt, OpLe, OpGt, OpGe:
		return op, true
	}
	return "", false
}

func (p *parser) between(at int, o Operand) (Cond, error) {
	p.operators++
	p.use(o, asOperand)
	low, err := p.operand(asOperand)
	if err != nil {
		return nil, err
	}
	if _, ok := p.acceptOp(OpAnd); !ok {
		return nil, p.unexpected()
	}
	high, err := p.operand(asOperand)
	if err != nil {
		return nil, err
	}
	return &Between{At: at, Operand: o, Low: low, High: high}, nil
}

func (p *parser) in(at int, o Operand) (Cond, error) {
	p.operators++
	p.use(o, asOperand)
	if err := p.expect("("); err != nil {
		return nil, err
	}
	list, err := p.operands(asOperand)
	if err != nil {
		return nil, err
	}
	return &In{At: at, Operand: o, List: list}, nil
}

func (p *parser) primary() (term, error) {
	at := p.tok().at
	if !p.accept("(") {
		o, err := p.atom()
		return term{operand: o}, err
	}
	t, err := p.or()
	if err != nil {
		return term{}, err
	}
	if err := p.expect(")"); err != nil {
		return term{}, err
	}
	if t.inside {
		p.redundant(at)
	}
	t.inside = true
	if t.operand != nil {
		t.operand, t.inside, err = p.continued(t.operand)
	}
	return t, err
}
