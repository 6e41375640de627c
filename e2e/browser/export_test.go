package browser

// Where axe-core comes from, for its tests.
var (
	Fetched   = fetched
	AxeSource = axeSource
)

const AxeName = axeName
