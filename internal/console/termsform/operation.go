package termsform

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Do adds, removes or moves something in a file: "add rules", "remove rules.1", "up
// rules.1" or "layers", which makes the rules those of a first layer.
func Do(document, operation string) (string, error) {
	tree, err := read(document)
	if err != nil {
		return document, err
	}
	verb, path, _ := strings.Cut(operation, " ")
	top := tree.Content[0]
	switch verb {
	case "add":
		err = add(top, path)
	case "remove", "up":
		err = take(top, path, verb == "up")
	case "layers":
		err = layered(top)
	default:
		err = fmt.Errorf("there is no operation %q", verb)
	}
	if err != nil {
		return document, err
	}
	return write(document, tree, nil, true)
}

// walk goes down a path, whose last step is left to the caller.
func walk(top *yaml.Node, path string) (n *yaml.Node, m member, last string, err error) {
	steps := strings.Split(path, ".")
	n, m = top, member{members: root}
	for _, step := range steps[:len(steps)-1] {
		if m.kind == items {
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || n == nil || i >= len(n.Content) || n.Kind != yaml.SequenceNode {
				return nil, m, "", fmt.Errorf("there is no %s", path)
			}
			n, m = n.Content[i], member{members: m.members}
			continue
		}
		at := slices.IndexFunc(m.members, func(x member) bool { return x.key == step })
		if at < 0 {
			return nil, m, "", fmt.Errorf("there is no %s", path)
		}
		n, m = find(n, step), m.members[at]
	}
	return n, m, steps[len(steps)-1], nil
}

// add puts a new item at the end of a list, before a rule that matches everything.
func add(top *yaml.Node, path string) error {
	n, m, key, err := walk(top, path)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(m.members, func(x member) bool { return x.key == key && x.kind == items })
	if at < 0 || n == nil || n.Kind != yaml.MappingNode {
		return fmt.Errorf("nothing can be added to %s", path)
	}
	of := m.members[at]
	seq := find(n, key)
	if seq == nil {
		seq = &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Style: n.Style & yaml.FlowStyle}
		put(n, key, seq)
	}
	if seq.Kind != yaml.SequenceNode || !plain(seq) {
		return fmt.Errorf("%s is not written as a list", path)
	}
	if len(seq.Content) == 0 {
		seq.Style = n.Style & yaml.FlowStyle
	}
	item := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Style: yaml.FlowStyle}
	for _, f := range of.fresh {
		name := f[0].(string)
		switch v := f[1].(type) {
		case int:
			put(item, name, scalar("!!int", strconv.Itoa(v)))
		case string:
			if name == "id" {
				v = free(top, v)
			}
			put(item, name, scalar("!!str", v))
		}
	}
	if of.key == "layers" {
		put(item, "rules", &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Style: yaml.FlowStyle})
	}
	place := len(seq.Content)
	if of.key == "rules" && place > 0 {
		if last := seq.Content[place-1]; find(last, "match") == nil && find(last, "except") == nil {
			place-- // what comes after a rule for everything would never apply
		}
	}
	seq.Content = slices.Insert(seq.Content, place, item)
	return nil
}

// free returns a name that nothing has yet.
func free(top *yaml.Node, stem string) string {
	taken := make(map[string]bool)
	var look func(*yaml.Node)
	look = func(n *yaml.Node) {
		if id := find(n, "id"); id != nil {
			taken[id.Value] = true
		}
		for _, c := range n.Content {
			look(c)
		}
	}
	look(top)
	for i := 1; ; i++ {
		if name := stem + "-" + strconv.Itoa(i); !taken[name] {
			return name
		}
	}
}

// take removes an item of a list, or moves it up by one.
func take(top *yaml.Node, path string, up bool) error {
	n, m, last, err := walk(top, path)
	if err != nil {
		return err
	}
	i, err := strconv.Atoi(last)
	if err != nil || m.kind != items || n == nil || n.Kind != yaml.SequenceNode || i < 0 || i >= len(n.Content) || up && i == 0 {
		return fmt.Errorf("there is no %s that could be moved or removed", path)
	}
	if up {
		n.Content[i-1], n.Content[i] = n.Content[i], n.Content[i-1]
		return nil
	}
	if n.Content = slices.Delete(n.Content, i, i+1); len(n.Content) == 0 {
		n.Style = yaml.FlowStyle
		if m.key != "rules" {
			parent, _, key, err := walk(top, strings.TrimSuffix(path, "."+last))
			if err != nil {
				return err
			}
			remove(parent, key)
		}
	}
	return nil
}

// layered makes the rules of a program those of a first layer.
func layered(top *yaml.Node) error {
	rules := find(top, "rules")
	if rules == nil || find(top, "layers") != nil {
		return errors.New("the program has no rules to make a layer of")
	}
	layer := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	put(layer, "id", scalar("!!str", "base"))
	for i := 0; i+1 < len(top.Content); i += 2 {
		if top.Content[i].Value == "rules" {
			key := *top.Content[i]
			top.Content[i].Value = "layers"
			key.HeadComment, key.LineComment, key.FootComment = "", "", ""
			layer.Content = append(layer.Content, &key, rules)
			top.Content[i+1] = &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Content: []*yaml.Node{layer}}
		}
	}
	return nil
}
