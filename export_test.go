package ddb

import "reflect"

// DefineType is Define without a Definition of the type, of which the compiler
// would make all methods: tests define too many types for that.
func DefineType(t *Table, typ reflect.Type) { t.define(typ) }
