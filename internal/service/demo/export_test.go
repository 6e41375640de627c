package demo

import "context"

// LoadCast is Load with the accounts that have a story alone.
func LoadCast(ctx context.Context, to Target) (*Summary, error) {
	return load(ctx, to, inOrder(stories(calendar{to.Now.UTC()})), false)
}
