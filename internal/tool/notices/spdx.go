package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// The documents are SPDX 2.3 in JSON (ISO/IEC 5962): a package for the binary, one for each module, and the relation
// that the binary contains the module.

type document struct {
	Version       string         `json:"spdxVersion"`
	DataLicense   string         `json:"dataLicense"`
	ID            string         `json:"SPDXID"`
	Name          string         `json:"name"`
	Namespace     string         `json:"documentNamespace"`
	Creation      creation       `json:"creationInfo"`
	Packages      []pkg          `json:"packages"`
	Relationships []relationship `json:"relationships"`
}

type creation struct {
	Created  string   `json:"created"`
	Creators []string `json:"creators"`
}

type pkg struct {
	Name      string        `json:"name"`
	ID        string        `json:"SPDXID"`
	Version   string        `json:"versionInfo"`
	Download  string        `json:"downloadLocation"`
	Analyzed  bool          `json:"filesAnalyzed"`
	Concluded string        `json:"licenseConcluded"`
	Declared  string        `json:"licenseDeclared"`
	Copyright string        `json:"copyrightText"`
	External  []externalRef `json:"externalRefs,omitempty"`
}

type externalRef struct {
	Category string `json:"referenceCategory"`
	Type     string `json:"referenceType"`
	Locator  string `json:"referenceLocator"`
}

type relationship struct {
	From string `json:"spdxElementId"`
	Type string `json:"relationshipType"`
	To   string `json:"relatedSpdxElement"`
}

const noAssertion = "NOASSERTION"

// spdx is the document of a binary.
func spdx(name string, o *options, modules []*module) ([]byte, error) {
	d := document{
		Version: "SPDX-2.3", DataLicense: "CC0-1.0", ID: "SPDXRef-DOCUMENT", Name: name + "-" + o.version,
		Namespace: fmt.Sprintf("https://spdx.org/spdxdocs/%s-%s", name, o.version),
		Creation:  creation{Created: o.now.UTC().Format(time.RFC3339), Creators: []string{"Tool: fencepost-notices"}},
	}
	const binary = "SPDXRef-binary"
	d.Packages = append(d.Packages, pkg{Name: name, ID: binary, Version: o.version, Download: noAssertion, Concluded: noAssertion, Declared: noAssertion, Copyright: noAssertion})
	d.Relationships = append(d.Relationships, relationship{d.ID, "DESCRIBES", binary})
	for i, m := range modules {
		id := fmt.Sprintf("SPDXRef-module-%d", i+1)
		d.Packages = append(d.Packages, pkg{
			Name: m.path, ID: id, Version: m.version, Download: noAssertion, Concluded: m.license, Declared: m.license, Copyright: copyright(m),
			External: []externalRef{{"PACKAGE-MANAGER", "purl", fmt.Sprintf("pkg:golang/%s@%s", m.path, strings.ReplaceAll(m.version, "+", "%2B"))}},
		})
		d.Relationships = append(d.Relationships, relationship{binary, "CONTAINS", id})
	}
	text, err := json.MarshalIndent(d, "", "  ")
	return append(text, '\n'), err
}

// copyright is the first line of a license that names who has the copyright.
func copyright(m *module) string {
	for _, text := range m.texts {
		for line := range strings.Lines(text) {
			line = strings.TrimSpace(line)
			if strings.HasPrefix(line, "Copyright ") && !strings.Contains(line, "[yyyy]") && !strings.Contains(line, "{yyyy}") {
				return line
			}
		}
	}
	return noAssertion
}
