package fences

// Processors has the costs that tests compare with.
var Processors = processors
