package foreign

var paperDesigns []Design
