// Package bmc answers by bounded model checking.
package bmc
