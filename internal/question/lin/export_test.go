package lin

// Objects is how many random objects the tests make.
var Objects = objects
