package probe

import _ "embed"

// OpenAPI is the OpenAPI 3.1 document of the calls that a target answers, as
// YAML. It must not be modified.
//
//go:embed openapi.yaml
var OpenAPI []byte
