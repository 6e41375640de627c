package probe_test

import (
	"testing"

	"recoup/internal/kit/draws"
)

func TestMain(m *testing.M) { draws.Main(m, 15) }
