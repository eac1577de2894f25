// Package lts builds the local transition systems of the threads of a flat program, for engines that
// take a program apart into threads and memory cells: the states that a thread can be in, and its
// actions, each with the cells that it reads and writes and their values.
//
// Idea: a thread is run alone. A read may return every value that some state known so far writes to
// the cell, or that the cell holds initially. New values give new states and the other way round,
// until nothing is new. So the systems are over-approximations that know all values that matter, and
// the engine that combines them decides which states are reachable. Local steps between two actions
// are merged into the action before.
//
// Input: a flat program. Output: states, and the moves from a state. If a cell seems to take more and more values,
// the error says so; a Domain restricts the values of cells, and a move then says that it leaves the
// domain.
//
// Files: system.go the system and its states, local.go local steps, access.go actions on memory,
// cells.go how memory is divided into cells, section.go atomic sections as one action.
//
// Deliberately absent: the memory model, and joins, conditions, barriers and allocation, which are
// refused with their position. An engine can take a join itself, and say which of its threads a spawn starts.
package lts
