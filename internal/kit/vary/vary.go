// Package vary changes a value member by member. With it, a test finds out what is left
// out of a list of members that is kept by hand: where a member is another and what is
// made of the value stays the same, the list lacks it.
package vary

import (
	"fmt"
	"iter"
	"reflect"
)

// Full returns a value in which every number is 1, every text is "a", every flag is false
// and every slice has one element, which is as full.
func Full[T any]() T {
	var v T
	fill(reflect.ValueOf(&v).Elem())
	return v
}

// Each yields, for every number, text and flag of a value, its name, such as
// "Transactions.Amount", and a full value in which it alone is another.
func Each[T any]() iter.Seq2[string, T] {
	return func(yield func(string, T) bool) {
		for n := 0; ; n++ {
			v := Full[T]()
			list := leaves(nil, "", reflect.ValueOf(&v).Elem())
			if n == len(list) {
				return
			}
			change(list[n].value)
			if !yield(list[n].name, v) {
				return
			}
		}
	}
}

func fill(v reflect.Value) {
	switch {
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	case v.Kind() == reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case v.Kind() == reflect.String:
		v.SetString("a")
	case v.CanInt():
		v.SetInt(1)
	case v.CanUint():
		v.SetUint(1)
	case v.Kind() != reflect.Bool:
		panic(fmt.Sprintf("vary: %s: expected numbers, texts, flags, slices and structs", v.Type()))
	}
}

// leaf is a number, a text or a flag.
type leaf struct {
	name  string
	value reflect.Value
}

func leaves(list []leaf, name string, v reflect.Value) []leaf {
	switch v.Kind() {
	case reflect.Struct:
		if name != "" {
			name += "."
		}
		for i := range v.NumField() {
			list = leaves(list, name+v.Type().Field(i).Name, v.Field(i))
		}
		return list
	case reflect.Slice:
		return leaves(list, name, v.Index(0))
	}
	return append(list, leaf{name, v})
}

func change(v reflect.Value) {
	switch {
	case v.Kind() == reflect.String:
		v.SetString("b")
	case v.CanInt():
		v.SetInt(2)
	case v.CanUint():
		v.SetUint(2)
	default:
		v.SetBool(true)
	}
}
