package foreign

var vendorDesigns []Design
